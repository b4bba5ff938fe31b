import jsonata, { type ExprNode, type JsonataOptions } from 'jsonata'
import { type ExpressionBudget, expressionBudget } from './budget'
import { installFunctions } from './functions'

/** Only a last resort; the budget counts what is done. */
const TIMEOUT_MS = 5_000
/** Nested evaluations; a function that calls itself takes about seven for each call. */
const MAX_STACK = 2_000
const MAX_SEQUENCE = 100_000
/** JSONata's order-by keeps a copy of the list for every item of it. */
const MAX_ORDERED_SEQUENCE = 3_000

/**
 * A compiled expression with our bounds. For one evaluation at a time: JSONata's functions and patterns belong to the
 * expression, and they are paid from the budget of the evaluation that goes on.
 * @throws what JSONata throws at text that is no expression
 */
export function prepare(text: string) {
  let current = expressionBudget()
  const budget: ExpressionBudget = {
    step: () => current.step(),
    produce: (units) => current.produce(units),
    admit: (value) => current.admit(value),
    pattern: (source, flags) => current.pattern(source, flags),
  }
  const options: JsonataOptions = {
    timeout: TIMEOUT_MS,
    stack: MAX_STACK,
    sequence: MAX_SEQUENCE,
    // JSONata only makes it from a literal, and only calls `exec`.
    RegexEngine: regexEngine(budget) as unknown as RegExpConstructor,
  }
  const expression = jsonata(text, options)
  if (ordersBy(expression.ast())) options.sequence = MAX_ORDERED_SEQUENCE
  installFunctions(expression, text, budget)
  // Called, and awaited, after each part with its result. The key is a symbol, so no expression can replace it.
  expression.assign(
    AFTER_EACH_PART as unknown as string,
    (part: ExprNode, _: unknown, __: unknown, result: unknown) => {
      if (typeof result === 'object') budget.admit(result)
      else if (typeof result === 'string' && MAKES_TEXT.has(part.type)) budget.produce(budget.admit(result))
      return budget.step()
    },
  )
  return {
    /** `bindings` are its variables. */
    evaluate(bindings: Record<string, unknown>, spent: ExpressionBudget): Promise<unknown> {
      current = spent
      return expression.evaluate(undefined, bindings)
    },
  }
}

const AFTER_EACH_PART = Symbol.for('jsonata.__evaluate_exit')
/** Others only pass text on. */
const MAKES_TEXT = new Set<string>(['binary', 'function', 'apply'])

function regexEngine(budget: ExpressionBudget) {
  return class {
    lastIndex = 0
    readonly #pattern

    constructor({ source, flags }: RegExp) {
      this.#pattern = budget.pattern(source, flags.replace('g', ''))
    }

    exec(text: unknown) {
      const match = this.#pattern.find(String(text), this.lastIndex)
      this.lastIndex = match?.end ?? 0
      if (!match) return null
      const found = [String(text).slice(match.start, match.end), ...match.groups]
      return Object.assign(found, { index: match.start })
    }
  }
}

/** Whether there is an order-by anywhere in a parsed expression. */
function ordersBy(ast: unknown): boolean {
  const open = [ast]
  const seen = new Set<unknown>()
  while (open.length > 0) {
    const part = open.pop()
    if (typeof part !== 'object' || part === null || seen.has(part)) continue
    seen.add(part)
    if ((part as { type?: unknown }).type === 'sort') return true
    for (const inner of Object.values(part)) open.push(inner)
  }
  return false
}
