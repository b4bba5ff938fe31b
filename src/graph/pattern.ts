import { findMatch } from './pattern/match'
import { compileProgram } from './pattern/program'
import { PatternError, parsePattern } from './pattern/syntax'

export { PatternError } from './pattern/syntax'

interface Match {
  start: number
  end: number
  /** What each group took; undefined where it took no part. */
  groups: (string | undefined)[]
}

export interface Pattern {
  /** The first match at or after `from`. @throws {PatternError} it took more steps than are left */
  find(text: string, from?: number): Match | null
}

const MAX_SOURCE_CHARACTERS = 2_000
/** About a second; enough for a simple pattern over some megabytes of text. */
const MAX_STEPS = 20_000_000

/**
 * A regular expression that cannot be made to backtrack: the matches of JavaScript's own, found in time linear in the
 * text. (Where repetitions of what may be empty are nested within each other, it can prefer another match.) For patterns that somebody wrote into a document or a setting. Flags: `i`, `m`, `s`. The steps are shared
 * by all searches with one pattern, unless `spend` counts them elsewhere.
 * @throws {PatternError} no regular expression, or one with look-around or back-references
 */
export function compilePattern(source: string, flags = '', spend = stepBudget()): Pattern {
  if (source.length > MAX_SOURCE_CHARACTERS) {
    throw new PatternError(`A regular expression may have at most ${MAX_SOURCE_CHARACTERS} characters.`)
  }
  const { branches, captures } = parsePattern(source, flags)
  const program = compileProgram(branches, captures)
  return {
    find(text, from = 0) {
      const slots = findMatch(program, flags.includes('m'), text, from, spend)
      if (!slots) return null
      const taken = (group: number) =>
        slots[group * 2]! < 0 || slots[group * 2 + 1]! < 0
          ? undefined
          : text.slice(slots[group * 2], slots[group * 2 + 1])
      const groups = Array.from({ length: captures }, (_, index) => taken(index + 1))
      return { start: slots[0]!, end: slots[1]!, groups }
    },
  }
}

/** Counts steps down, and throws when there are none left. */
export function stepBudget(left = MAX_STEPS) {
  let remaining = left
  return (steps: number): void => {
    remaining -= steps
    if (remaining < 0) throw new PatternError('The regular expression takes too long on this text.')
  }
}
