import { compilePattern, stepBudget } from '../pattern'

/** An expression that is not valid, that failed, or that went beyond its bounds. */
export class ExpressionError extends Error {
  override name = 'ExpressionError'
}

/** About half a second; a filter over a list takes five or so per item. */
const MAX_STEPS = 500_000
/** The page or the server goes on with other work in between: some 10 ms of steps. */
const STEPS_BETWEEN_BREAKS = 10_000
/** Characters and values in all that one value holds, counted wherever it appears again. */
const MAX_SIZE = 10_000_000
/** The same for everything that one evaluation makes, kept or not. */
const MAX_PRODUCED = 40_000_000
/** Deeper than any real data, and shallow enough for every function that walks it. */
const MAX_DEPTH = 200

/**
 * What one evaluation may use up. It counts what is done and made, not time, so that an expression that works today
 * works tomorrow on a slower machine.
 */
export function expressionBudget() {
  let steps = 0
  let produced = 0
  const sizes = new WeakMap<object, number>()
  const spendMatching = stepBudget()

  /** Once per evaluated part. A promise is a break, to be awaited. */
  function step(): Promise<void> | undefined {
    steps++
    if (steps > MAX_STEPS) throw new ExpressionError(`it takes more than ${MAX_STEPS} steps. Is it endless?`)
    return steps % STEPS_BETWEEN_BREAKS === 0 ? new Promise((resume) => setTimeout(resume, 0)) : undefined
  }

  function produce(units: number): void {
    produced += units
    if (produced > MAX_PRODUCED) throw tooLarge(MAX_PRODUCED)
  }

  /** Counts what is new in a value, and refuses one that is too large even if it is only a few values repeated. */
  function admit(value: unknown): number {
    const size = sizeOf(value, 0)
    if (size > MAX_SIZE) throw tooLarge(MAX_SIZE)
    return size
  }

  function sizeOf(value: unknown, depth: number): number {
    if (typeof value === 'string') return value.length
    if (typeof value !== 'object' || value === null || isFunction(value)) return 1
    const known = sizes.get(value)
    if (known !== undefined) return known
    if (depth > MAX_DEPTH) throw new ExpressionError(`a value is nested more than ${MAX_DEPTH} levels deep.`)
    const own = ownSize(value)
    let size = own
    for (const item of Array.isArray(value) ? value : Object.values(value)) size += sizeOf(item, depth + 1)
    sizes.set(value, size)
    produce(own)
    return size
  }

  return {
    step,
    produce,
    admit,
    /** A regular expression whose searches are paid from here. */
    pattern: (source: string, flags: string) => compilePattern(source, flags, spendMatching),
  }
}
export type ExpressionBudget = ReturnType<typeof expressionBudget>

/** Of the list or object itself, without what lies in it. */
const ownSize = (value: object): number =>
  Array.isArray(value) ? 1 + value.length : Object.keys(value).reduce((sum, key) => sum + 1 + key.length, 1)

/** JSONata's own marks. Their closures hold the whole environment, and are no data. */
const isFunction = (value: object): boolean =>
  Object.hasOwn(value, '_jsonata_lambda') || Object.hasOwn(value, '_jsonata_function')

const tooLarge = (limit: number) =>
  new ExpressionError(`it makes more than ${limit} characters and values. Make it build less.`)
