import jsonata, { type Expression } from 'jsonata'
import { canonicalJson } from '../hash'
import { type ExpressionBudget, ExpressionError } from './budget'

/** JSONata calls a function with these. */
interface Focus {
  createSequence(...items: unknown[]): unknown[]
}
// biome-ignore lint/suspicious/noExplicitAny: JSONata checks the arguments against the signature that stands beside.
type Implementation = (this: Focus, ...args: any[]) => unknown

type Registered = Parameters<Expression['registerFunction']>[1]

/** What would give another result when a run is replayed, or lies outside the budget. */
const REFUSED = {
  now: 'it reads the clock',
  millis: 'it reads the clock',
  random: 'it is random',
  shuffle: 'it is random',
  eval: 'it runs text as an expression',
}

const MAX_PICTURE_CHARACTERS = 100
const MAX_PARSED_CHARACTERS = 64

/**
 * Puts our own functions in the place of JSONata's: those that would not replay the same are refused, and those that
 * could make much out of little, or take long, in a single call are bounded.
 */
export function installFunctions(expression: Expression, text: string, budget: ExpressionBudget): void {
  // A function can only be called by its name, and most expressions call none of these.
  const isNamed = (name: string) => text.includes(name)
  for (const [name, reason] of Object.entries(REFUSED)) {
    if (!isNamed(name)) continue
    expression.registerFunction(name, () => {
      throw new ExpressionError(`$${name} is not available, because ${reason}.`)
    })
  }
  for (const [name, [signature, implementation]] of Object.entries({ ...bounded(budget), ...pictures() })) {
    if (!isNamed(name)) continue
    // Its declared type does not tell all that JSONata hands to a function as `this`.
    expression.registerFunction(name, implementation as unknown as Registered, signature)
  }
}

const bounded = (budget: ExpressionBudget): Record<string, [signature: string, Implementation]> => ({
  /** Ours: text that holds JSON, such as a model's answer, as a value. */
  parse: [
    '<s-:x>',
    (text?: string) => {
      if (text === undefined) return undefined
      try {
        const value: unknown = JSON.parse(text)
        budget.admit(value)
        return value
      } catch (error) {
        throw error instanceof SyntaxError
          ? new ExpressionError('$parse was given text that is not JSON.')
          : error
      }
    },
  ],
  pad: [
    '<s-ns?:s>',
    (text: string | undefined, width: number, filling?: string) => {
      if (text === undefined) return undefined
      budget.produce(Math.abs(width))
      const missing = Math.trunc(Math.abs(width)) - [...text].length
      if (missing <= 0) return text
      const unit = [...(filling || ' ')]
      const padding =
        unit.join('').repeat(missing / unit.length) + unit.slice(0, missing % unit.length).join('')
      return width < 0 ? padding + text : text + padding
    },
  ],
  join: [
    '<a<s>s?:s>',
    (texts: string[] | undefined, separator = '') => {
      if (texts === undefined) return undefined
      budget.produce(texts.reduce((sum, text) => sum + text.length + separator.length, 0))
      return texts.join(separator)
    },
  ],
  append: [
    '<xx:a>',
    function append(this: Focus, first: unknown, second: unknown) {
      if (first === undefined) return second
      if (second === undefined) return first
      const head = Array.isArray(first) ? first : this.createSequence(first)
      const tail = Array.isArray(second) ? second : [second]
      budget.produce(head.length + tail.length)
      return head.concat(tail)
    },
  ],
  string: [
    '<x-b?:s>',
    async function string(this: Focus, value: unknown, indented = false) {
      if (value === undefined) return undefined
      const size = budget.admit(value)
      // Each line of indented JSON may begin with as many blanks as the value is deep.
      budget.produce(indented && typeof value !== 'string' ? size * 100 : size)
      return (await native('string')).call(this, value, indented)
    },
  ],
  replace: [
    '<s-(sf)(sf)n?:s>',
    async function replace(this: Focus, text: string | undefined, pattern, replacement, limit) {
      if (text === undefined) return undefined
      const made = (length: number) => budget.produce(length + 1)
      const bounded = { text, pattern, replacement, made }
      const args = typeof pattern === 'string' ? replaceText(bounded) : replaceMatches(bounded)
      return (await native('replace')).call(this, text, ...args, ...(limit === undefined ? [] : [limit]))
    },
  ],
  distinct: [
    '<x:x>',
    function distinct(this: Focus, values: unknown) {
      if (!Array.isArray(values) || values.length <= 1) return values
      const byContent = new Map<string, unknown>()
      for (const value of values) {
        const key = canonicalJson(value)
        if (!byContent.has(key)) byContent.set(key, value)
      }
      const isSequence = (values as { sequence?: boolean }).sequence === true
      const found = isSequence ? this.createSequence() : []
      for (const value of byContent.values()) found.push(value)
      return found
    },
  ],
  sort: [
    '<af?:a>',
    async (values: unknown[] | undefined, swaps?: (a: unknown, b: unknown) => Promise<unknown>) => {
      if (values === undefined || values.length <= 1) return values
      if (!swaps && !['number', 'string'].some((type) => values.every((value) => typeof value === type))) {
        throw new ExpressionError(
          '$sort needs only numbers, only text, or a function that compares two items.',
        )
      }
      budget.produce(values.length)
      return mergeSort(values, swaps ?? (async (a, b) => (a as number) > (b as number)))
    },
  ],
})

/** Date and number pictures become regular expressions of JSONata's making, so they are kept short. */
const pictures = (): Record<string, [signature: string, Implementation]> => {
  const short = (name: string, describe: (picture: string | undefined) => void = () => {}): Implementation =>
    async function withPicture(this: Focus, value: unknown, picture?: string, extra?: unknown) {
      if (typeof picture === 'string' && picture.length > MAX_PICTURE_CHARACTERS) {
        throw new ExpressionError(`$${name} takes a picture of at most ${MAX_PICTURE_CHARACTERS} characters.`)
      }
      if (typeof value === 'string' && value.length > MAX_PARSED_CHARACTERS) {
        throw new ExpressionError(`$${name} takes text of at most ${MAX_PARSED_CHARACTERS} characters.`)
      }
      if (value !== undefined) describe(picture)
      // Without a zone the text would be read in that of the machine.
      const utc = name === 'toMillis' && picture === undefined && /T[\d:.]+$/.test(String(value))
      return (await native(name)).call(this, utc ? `${value}Z` : value, picture, extra)
    }
  const withYear = (picture: string | undefined) => {
    if (picture !== undefined && !/\[[YX]/.test(picture)) {
      throw new ExpressionError(
        '$toMillis needs a picture with the year, because it would read it from the clock.',
      )
    }
  }
  return {
    toMillis: ['<s-s?:n>', short('toMillis', withYear)],
    fromMillis: ['<n-s?s?:s>', short('fromMillis')],
    formatInteger: ['<n-s:s>', short('formatInteger')],
    parseInteger: ['<s-s:n>', short('parseInteger')],
    formatNumber: ['<n-so?:s>', short('formatNumber')],
  }
}

/** JSONata's own function. It exports none, but an expression that is only a name gives it away. */
async function native(name: string): Promise<Implementation> {
  const { implementation } = (await jsonata(`$${name}`).evaluate(undefined)) as {
    implementation: Implementation
  }
  return implementation
}

interface Match {
  match: string
  next(): Promise<Match | undefined>
}
interface Replacing<Pattern> {
  text: string
  pattern: Pattern
  replacement: unknown
  made(length: number): void
}

function replaceText({ text, pattern, replacement, made }: Replacing<string>): unknown[] {
  if (typeof replacement === 'string' && pattern !== '') {
    for (let at = text.indexOf(pattern); at !== -1; at = text.indexOf(pattern, at + pattern.length)) {
      made(replacement.length)
    }
  }
  return [pattern, replacement]
}

/** Pays for each match as it is found, before its replacement is made. */
function replaceMatches({
  pattern,
  replacement,
  made,
}: Replacing<(text: string) => Promise<Match | undefined>>): unknown[] {
  const longest = (match: string) =>
    typeof replacement === 'string' ? replacement.length + replacement.split('$').length * match.length : 0
  const paid = (match: Match | undefined): Match | undefined => {
    if (match) made(longest(match.match))
    return match && { ...match, next: async () => paid(await match.next()) }
  }
  const replace = async (match: unknown) => {
    const text = await (replacement as (match: unknown) => Promise<unknown>)(match)
    if (typeof text === 'string') made(text.length)
    return text
  }
  return [
    async (text: string) => paid(await pattern(text)),
    typeof replacement === 'string' ? replacement : replace,
  ]
}

/** Keeps equal items in their order. JSONata's own copies the list for every item. */
async function mergeSort<T>(items: readonly T[], swaps: (a: T, b: T) => Promise<unknown>): Promise<T[]> {
  if (items.length <= 1) return [...items]
  const middle = items.length >> 1
  const left = await mergeSort(items.slice(0, middle), swaps)
  const right = await mergeSort(items.slice(middle), swaps)
  const merged: T[] = []
  let [atLeft, atRight] = [0, 0]
  while (atLeft < left.length && atRight < right.length) {
    const takeRight = await swaps(left[atLeft]!, right[atRight]!)
    merged.push(takeRight ? right[atRight++]! : left[atLeft++]!)
  }
  return merged.concat(left.slice(atLeft), right.slice(atRight))
}
