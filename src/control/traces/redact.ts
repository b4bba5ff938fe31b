import { compilePattern, type Pattern, PatternError, stepBudget } from '#graph/pattern'

/** What is to be hidden of node I/O: values under these keys, at any depth and in any case, and matches of these patterns. */
export interface RedactRules {
  keys?: readonly string[]
  patterns?: readonly string[]
}

export interface Redactor {
  value(value: unknown): unknown
  text(text: string): string
}

const REDACTED = '[redacted]'
/** Deeper than any real data. */
const MAX_DEPTH = 300
/** For all patterns over one value: what a run may be held up by at most, about a second. */
const MAX_STEPS = 50_000_000

/**
 * Hides by rule before anything is stored or told. When in doubt it hides more: a rule that cannot be applied, or a text
 * that takes too long to search, is hidden whole.
 */
export function redactor({ keys = [], patterns = [] }: RedactRules): Redactor {
  const hidden = new Set(keys.map((key) => key.toLowerCase()))
  let spend = stepBudget(MAX_STEPS)
  const compiled = compileAll(patterns, (steps) => spend(steps))

  function afresh<T>(work: () => T): T {
    spend = stepBudget(MAX_STEPS)
    return work()
  }

  function text(given: string): string {
    if (!compiled) return REDACTED
    try {
      return compiled.reduce(replaceAll, given)
    } catch (error) {
      if (!(error instanceof PatternError)) throw error
      return REDACTED
    }
  }

  function value(given: unknown, depth = 0): unknown {
    if (depth > MAX_DEPTH) return REDACTED
    if (typeof given === 'string') return text(insideJson(given, depth))
    if (typeof given === 'number') return text(String(given)) === String(given) ? given : text(String(given))
    if (typeof given !== 'object' || given === null) return given
    if (Array.isArray(given)) return given.map((item) => value(item, depth + 1))
    return Object.fromEntries(
      Object.entries(given).map(([key, item]) => [
        text(key),
        hidden.has(key.toLowerCase()) ? REDACTED : value(item, depth + 1),
      ]),
    )
  }

  /** What tools and models answer is often JSON as text: its keys count too. It stays as it is where none is hidden. */
  function insideJson(given: string, depth: number): string {
    if (hidden.size === 0 || !/^\s*[[{]/.test(given)) return given
    try {
      const before: unknown = JSON.parse(given)
      const after = value(before, depth + 1)
      return JSON.stringify(before) === JSON.stringify(after) ? given : JSON.stringify(after)
    } catch {
      // No JSON: text like any other.
      return given
    }
  }

  return {
    value: (given) => afresh(() => value(given)),
    text: (given) => afresh(() => text(given)),
  }
}

/** Null where one of them is no pattern; they are checked when they are stored. */
function compileAll(patterns: readonly string[], spend: (steps: number) => void): Pattern[] | null {
  try {
    return patterns.map((pattern) => compilePattern(pattern, '', spend))
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    return null
  }
}

function replaceAll(text: string, pattern: Pattern): string {
  const kept: string[] = []
  let at = 0
  for (let from = 0; from <= text.length; ) {
    const match = pattern.find(text, from)
    if (!match) break
    // Nothing matched is nothing to hide.
    if (match.end > match.start) {
      kept.push(text.slice(at, match.start), REDACTED)
      at = match.end
    }
    from = Math.max(match.end, match.start + 1)
  }
  return at === 0 ? text : kept.join('') + text.slice(at)
}
