import { RE2JS } from 're2js'

const REDACTED = '[redacted]'
/** Deeper than any real message. */
const MAX_DEPTH = 100
/** Instructions of a pattern times characters of a text: about a tenth of a second, which other streams wait. */
const MAX_WORK = 5_000_000

/** What keys of providers, of code hosts and of our own look like, and private keys and signed tokens. */
const SECRETS =
  /\b(?:ty(?:s|k|gs|gk)_|sk-|pk-|rk-|hf_|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|AIza|ya29\.|npm_)[\w.-]{12,}|\bAKIA[A-Z0-9]{16}\b|\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]+|\bBearer\s+[\w.~+/-]{12,}=*|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g

export interface RecordRedactor {
  /** How often something was hidden so far. */
  readonly hits: number
  text(text: string): string
  value(value: unknown): unknown
}

/**
 * Hides what must not reach the disk: whatever looks like a key, values under the admin's names at any depth, and what
 * the admin's patterns match. A pattern that would take too long on a text, or is none, hides the text whole.
 */
export function redactor({ keys = [], patterns = [] }: { keys?: string[]; patterns?: string[] }) {
  const hidden = new Set(keys.map((key) => key.toLowerCase()))
  const compiled = compileAll(patterns)

  /** Counts afresh: one for each record. */
  return (): RecordRedactor => {
    let hits = 0
    const hide = () => {
      hits++
      return REDACTED
    }

    function text(given: string): string {
      const safe = given.replace(SECRETS, hide)
      if (compiled === null) return hide()
      return compiled.reduce((rest, pattern) => matched(rest, pattern, hide), safe)
    }

    function value(given: unknown, depth = 0): unknown {
      if (depth > MAX_DEPTH) return hide()
      if (typeof given === 'string') return text(given)
      if (typeof given !== 'object' || given === null) return given
      if (Array.isArray(given)) return given.map((item) => value(item, depth + 1))
      return Object.fromEntries(
        Object.entries(given).map(([key, item]) => [
          text(key),
          hidden.has(key.toLowerCase()) ? hide() : value(item, depth + 1),
        ]),
      )
    }

    return {
      get hits() {
        return hits
      },
      text,
      value: (given) => value(given),
    }
  }
}

/** Null where one of them is no pattern; they are checked when they are saved. */
function compileAll(patterns: string[]): RE2JS[] | null {
  try {
    return patterns.map((pattern) => RE2JS.compile(pattern))
  } catch {
    // Nothing is safe to keep when it is not known what should be hidden.
    return null
  }
}

function matched(text: string, pattern: RE2JS, hide: () => string): string {
  if (text.length * pattern.programSize() > MAX_WORK) return hide()
  const matcher = pattern.matcher(text)
  if (!matcher.find()) return text
  hide()
  return matcher.reset().replaceAll(REDACTED)
}
