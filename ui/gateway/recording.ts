import type { GatewayConfig, SaveConfig } from '../../src/control/gateways/schema'
import { texts as gateway } from '../texts/gateway'

const texts = gateway.recording

/** A configuration as it stands in the form. */
export interface Draft {
  observer: boolean
  record_level: GatewayConfig['record_level']
  project_attribution: GatewayConfig['project_attribution']
  /** One a line. */
  keys: string
  patterns: string
  max_content_bytes: string
}

export type DraftProblems = Partial<Record<'keys' | 'patterns' | 'max_content_bytes', string>>

const MOST_KEYS = 100
const LONGEST_KEY = 200
const MOST_PATTERNS = 50
const LONGEST_PATTERN = 2_000
const CONTENT_BYTES = { min: 1_024, max: 1_048_576 }

export const draftOf = (config: GatewayConfig): Draft => ({
  observer: config.observer,
  record_level: config.record_level,
  project_attribution: config.project_attribution,
  keys: (config.redact_rules?.keys ?? []).join('\n'),
  patterns: (config.redact_rules?.patterns ?? []).join('\n'),
  max_content_bytes: String(config.max_content_bytes),
})

/** What to save, and what is wrong with it. Whether a pattern is one is for the server to say. */
export function readDraft(draft: Draft): { config: SaveConfig; problems: DraftProblems } {
  const keys = linesOf(draft.keys).map((key) => key.trim())
  const patterns = linesOf(draft.patterns)
  const bytes = Number(draft.max_content_bytes)
  const problems: DraftProblems = {}
  const badKeys = tooMuch(keys, MOST_KEYS, LONGEST_KEY)
  if (badKeys) problems.keys = badKeys
  const badPatterns = tooMuch(patterns, MOST_PATTERNS, LONGEST_PATTERN)
  if (badPatterns) problems.patterns = badPatterns
  if (!Number.isInteger(bytes) || bytes < CONTENT_BYTES.min || bytes > CONTENT_BYTES.max)
    problems.max_content_bytes = texts.contentBytesWrong(CONTENT_BYTES.min, CONTENT_BYTES.max)
  const { observer, record_level, project_attribution } = draft
  return {
    config: {
      observer,
      record_level,
      project_attribution,
      redact_rules: keys.length + patterns.length === 0 ? null : { keys, patterns },
      max_content_bytes: bytes,
    },
    problems,
  }
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '')

function tooMuch(lines: readonly string[], most: number, longest: number): string | null {
  if (lines.length > most) return texts.tooManyLines(most)
  return lines.some(({ length }) => length > longest) ? texts.lineTooLong(longest) : null
}
