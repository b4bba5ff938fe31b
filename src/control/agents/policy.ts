import { compilePattern, PatternError } from '#graph/pattern'
import type { CaptureLevel } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import type { PolicyRow } from './store'

const MAX_RULES = 100
const MAX_KEY_CHARACTERS = 200

/** What is to be replaced by `[redacted]`: values under these keys, and what matches these patterns. */
export interface RedactRules {
  keys?: string[]
  patterns?: string[]
}

/** What an agent's own policy asks for; a run keeps the least of it, the ceiling and the topology's default. */
export interface CapturePolicyOfAgent {
  io_capture: CaptureLevel
  io_retention_seconds: number | null
  redact_rules: RedactRules | null
}

export const readPolicy = ({
  io_capture,
  io_retention_seconds,
  redact_rules,
}: PolicyRow): CapturePolicyOfAgent => ({
  io_capture,
  io_retention_seconds,
  redact_rules: redact_rules === null ? null : JSON.parse(redact_rules),
})

/**
 * The rules as they are kept. A rule that would silently do nothing is refused: somebody relies on it.
 * @throws {AppError} `invalid_policy`
 */
export function readRules(given: Record<string, unknown>): RedactRules {
  const unknown = Object.keys(given).find((key) => key !== 'keys' && key !== 'patterns')
  if (unknown !== undefined)
    throw refused(`redact_rules has "keys" and "patterns", and no "${shortened(unknown)}".`)
  const keys = readTexts('keys', given.keys)
  const patterns = readTexts('patterns', given.patterns)
  const long = keys?.find((key) => key.length > MAX_KEY_CHARACTERS)
  if (long) throw refused(`A key in redact_rules.keys has at most ${MAX_KEY_CHARACTERS} characters.`)
  for (const pattern of patterns ?? []) checkPattern(pattern)
  return { ...(keys && { keys }), ...(patterns && { patterns }) }
}

function readTexts(name: string, value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string' && one.trim() !== '')
  if (!isList) throw refused(`redact_rules.${name} must be a list of texts that are not blank.`)
  if (value.length > MAX_RULES) throw refused(`redact_rules.${name} may have at most ${MAX_RULES} entries.`)
  return value
}

/** Compiled as it will be when it is applied, so that what is kept also works. */
function checkPattern(pattern: string) {
  try {
    compilePattern(pattern)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    throw refused(`The pattern "${shortened(pattern)}" is refused. ${error.message}`)
  }
}

const refused = (message: string) => new AppError('invalid_policy', message)

const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text)
