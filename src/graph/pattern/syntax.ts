/** A regular expression as a tree. Only what can be matched in linear time has a form here. */
export type Piece =
  /** Takes one UTF-16 unit. */
  | { kind: 'one'; test: UnitTest }
  | { kind: 'assert'; what: Assertion }
  | { kind: 'group'; capture: number | null; branches: Piece[][] }
  | {
      kind: 'repeat'
      body: Piece
      min: number
      max: number
      greedy: boolean
      captures: [from: number, to: number]
    }

export type UnitTest = (unit: number) => boolean
export type Assertion = 'start' | 'end' | 'boundary' | 'inside'

export class PatternError extends Error {
  override name = 'PatternError'
}

/**
 * Parses a regular expression of JavaScript without the `u` flag. What one unit may be is left to the platform's own
 * engine, which also refuses what is no regular expression, so that classes and escapes mean here what they mean
 * everywhere. Nesting is bounded by the length that the caller allows.
 * @throws {PatternError} the syntax is wrong, or needs backtracking
 */
export function parsePattern(source: string, flags: string): { branches: Piece[][]; captures: number } {
  try {
    new RegExp(source, flags)
  } catch (error) {
    throw new PatternError((error as Error).message)
  }
  let at = 0
  let captures = 0
  const tests = new Map<string, UnitTest>()
  const unitFlags = flags.replace(/[^is]/g, '')

  const branches = alternatives()
  return { branches, captures }

  function alternatives(): Piece[][] {
    const all: Piece[][] = [[]]
    while (at < source.length && source[at] !== ')') {
      if (source[at] === '|') {
        all.push([])
        at++
      } else {
        all.at(-1)!.push(quantified())
      }
    }
    return all
  }

  function quantified(): Piece {
    const before = captures
    const body = atom()
    const bounds = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})(\??)/.exec(source.slice(at, at + LONGEST_QUANTIFIER))
    if (!bounds) return body
    const [text, sign, low, comma, high, lazy] = bounds
    at += text.length
    const min = sign ? Number(sign === '+') : Number(low)
    const most = sign ? sign === '?' && 1 : comma ? high !== '' && Number(high) : min
    const max = most === false ? Number.POSITIVE_INFINITY : most
    return { kind: 'repeat', body, min, max, greedy: !lazy, captures: [before + 1, captures] }
  }

  function atom(): Piece {
    const sign = source[at]!
    if (sign === '(') return group()
    if (sign === '^' || sign === '$') {
      at++
      return { kind: 'assert', what: sign === '^' ? 'start' : 'end' }
    }
    if (sign === '\\') return escaped()
    return one(source.slice(at, sign === '[' ? endOfClass() : at + 1))
  }

  function group(): Piece {
    const [opening, special, name] = /^\((\?(?:(:)|<[\p{L}\p{N}_$]+>)?)?/u.exec(
      source.slice(at, at + LONGEST_NAME),
    )!
    const named = special !== undefined && special.length > 2
    if (special !== undefined && name === undefined && !named) {
      throw new PatternError(
        'Look-around and inline flags are not supported: they cannot be matched in bounded time.',
      )
    }
    at += opening.length
    const capture = name === undefined ? ++captures : null
    const inside = alternatives()
    at++
    return { kind: 'group', capture, branches: inside }
  }

  function escaped(): Piece {
    const letter = source[at + 1]!
    if (letter === 'b' || letter === 'B') {
      at += 2
      return { kind: 'assert', what: letter === 'b' ? 'boundary' : 'inside' }
    }
    if (/[1-9k]/.test(letter)) {
      throw new PatternError('Back-references are not supported: they cannot be matched in bounded time.')
    }
    const [text] = /^\\(?:x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|c[A-Za-z]|[\s\S])/.exec(source.slice(at, at + 6))!
    return one(text)
  }

  function endOfClass(): number {
    let end = at + 1
    while (source[end] !== ']') end += source[end] === '\\' ? 2 : 1
    return end + 1
  }

  function one(text: string): Piece {
    at += text.length
    if (!tests.has(text)) tests.set(text, unitTest(text, unitFlags))
    return { kind: 'one', test: tests.get(text)! }
  }
}

const LONGEST_QUANTIFIER = 40
const LONGEST_NAME = 100
const TABLE_SIZE = 256

/** Asks the platform what one unit matches, and remembers the answer for the common ones. */
function unitTest(text: string, flags: string): UnitTest {
  if (text.length === 1 && flags === '' && /[\w\s]/.test(text)) {
    const wanted = text.charCodeAt(0)
    return (unit) => unit === wanted
  }
  // A lone `{`, `}` or `]` stands for itself, but not next to what is put around it here.
  const unitPattern = new RegExp(`^${/^[{}\]]$/.test(text) ? `\\${text}` : text}$`, flags)
  const table = Uint8Array.from({ length: TABLE_SIZE }, (_, unit) =>
    Number(unitPattern.test(String.fromCharCode(unit))),
  )
  return (unit) => (unit < TABLE_SIZE ? table[unit] === 1 : unitPattern.test(String.fromCharCode(unit)))
}
