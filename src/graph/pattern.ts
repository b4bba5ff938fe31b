import { RE2JS, RE2JSException } from 're2js'

/** A pattern that cannot be used, or one that takes too long on a text. */
export class PatternError extends Error {
  override name = 'PatternError'
}

interface Match {
  start: number
  end: number
  /** What each group took; undefined where it took no part. */
  groups: (string | undefined)[]
}

export interface Pattern {
  /** The first match at or after `from`. @throws {PatternError} it could take more steps than are left */
  find(text: string, from?: number): Match | null
}

const FLAGS: Record<string, number> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
}
const MAX_SOURCE_CHARACTERS = 2_000
/** One instruction of a pattern on one character, at worst. Two seconds or so; simple patterns run far faster. */
const MAX_STEPS = 100_000_000
const STEPS_PER_MS = 50_000

/**
 * A regular expression for patterns that somebody wrote into a document or a setting: RE2, whose searches take time
 * linear in the text whatever the pattern. Flags: `i`, `m`, `s`. The steps are shared by all searches with one
 * pattern, unless `spend` counts them elsewhere.
 * @throws {PatternError} no regular expression, or one with look-around or back-references
 */
export function compilePattern(source: string, flags = '', spend = stepBudget()): Pattern {
  const pattern = compile(source, flags)
  return {
    find(text, from = 0) {
      const matcher = pattern.matcher(text)
      const worst = (text.length - from) * matcher.programSize()
      // A search cannot be stopped, so there must be enough left for the longest that it could take.
      spend(worst)
      const startedAt = workedMs()
      const match = matcher.find(from) ? matchOf(matcher) : null
      const used = match ? (match.end - from + 1) * matcher.programSize() : worst
      // It may look far beyond a short match; many such searches would come to more than their matches tell.
      spend(Math.max(used, (workedMs() - startedAt) * STEPS_PER_MS) - worst)
      return match
    },
  }
}

/** Counts steps down, and throws when there are none left. A negative number gives steps back. */
export function stepBudget(left = MAX_STEPS) {
  let remaining = left
  return (steps: number): void => {
    remaining -= steps
    if (remaining < 0) throw new PatternError('The regular expression takes too long on this text.')
  }
}

/** Of this thread: on a busy machine it also waits for its turn. A browser tells only the time. */
const workedMs: () => number =
  'process' in globalThis
    ? () => {
        const { user, system } = process.threadCpuUsage()
        return (user + system) / 1_000
      }
    : () => performance.now()

function compile(source: string, flags: string): RE2JS {
  if (source.length > MAX_SOURCE_CHARACTERS)
    throw new PatternError(`A regular expression may have at most ${MAX_SOURCE_CHARACTERS} characters.`)
  const bits = [...flags].map((flag) => FLAGS[flag])
  if (bits.includes(undefined)) throw new PatternError('A regular expression may have the flags i, m and s.')
  try {
    return RE2JS.compile(
      RE2JS.translateRegExp(source),
      bits.reduce<number>((all, bit) => all | bit!, 0),
    )
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    throw new PatternError(whyRefused(source, error.message))
  }
}

function whyRefused(source: string, message: string): string {
  if (/\(\?<?[=!]/.test(source)) return 'Look-around cannot be used in a regular expression here.'
  if (/\\[1-9k]/.test(source)) return 'Back-references cannot be used in a regular expression here.'
  return `The regular expression cannot be used: ${message.replace('error parsing regexp: ', '')}.`
}

function matchOf(matcher: ReturnType<RE2JS['matcher']>): Match {
  const groups = Array.from({ length: matcher.groupCount() }, (_, at) => matcher.group(at + 1) ?? undefined)
  return { start: matcher.start(), end: matcher.end(), groups }
}
