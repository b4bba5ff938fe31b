import jsonata, { type ExprNode, type JsonataOptions } from 'jsonata'
import { tryParse } from '#kernel/json'
import { type ExpressionBudget, ExpressionError, expressionBudget } from './expression/budget'
import { installFunctions } from './expression/functions'
import { quote } from './problem'
import { type Inputs, isReference, resolveReference, resolveTemplate } from './template'

export { ExpressionError } from './expression/budget'

const MAX_EXPRESSION_CHARACTERS = 100_000
/** Only a last resort; the budget counts what is done. */
const TIMEOUT_MS = 5_000
/** Nested evaluations; a function that calls itself takes about seven for each call. */
const MAX_STACK = 2_000
const MAX_SEQUENCE = 100_000
/** JSONata's order-by keeps a copy of the list for every item of it. */
const MAX_ORDERED_SEQUENCE = 3_000

/**
 * What a transform makes: valid JSON is a template, in which whole references are replaced; any other text is an
 * expression.
 * @throws {TemplateError} a reference in the template cannot be followed
 * @throws {ExpressionError} anything else that goes wrong
 */
export async function transform(expr: string, inputs: Inputs): Promise<unknown> {
  const template = tryParse(expr)
  return template === undefined ? evaluate(expr, inputs) : resolveTemplate(template, inputs)
}

/**
 * What a router selects or a loop decides by: one whole reference is followed as everywhere; any other text is an
 * expression.
 * @throws {TemplateError | ExpressionError}
 */
export async function select(text: string, inputs: Inputs): Promise<unknown> {
  return isReference(text.trim()) ? resolveReference(text.trim(), inputs) : evaluate(text, inputs)
}

/**
 * Evaluates a JSONata expression with `in` bound to the values of the ports that were fed. The result is plain JSON,
 * null where the expression finds nothing. Its bounds are in `expression/budget.ts`.
 * @throws {ExpressionError}
 */
export async function evaluate(text: string, { node, values }: Inputs): Promise<unknown> {
  try {
    if (text.length > MAX_EXPRESSION_CHARACTERS) {
      throw new ExpressionError(`it is longer than ${MAX_EXPRESSION_CHARACTERS} characters.`)
    }
    const budget = expressionBudget()
    const fed = Object.fromEntries([...values].filter(([, value]) => value !== undefined))
    budget.admit(fed)
    const result: unknown = await prepare(text, budget).evaluate(undefined, { in: plain(fed) })
    budget.admit(result)
    return plain(result) ?? null
  } catch (error) {
    throw new ExpressionError(`Node ${quote(node)}: the expression failed: ${reasonOf(error)}`, {
      cause: error,
    })
  }
}

function prepare(text: string, budget: ExpressionBudget) {
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
  return expression
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

/** JSONata marks its lists and hands out functions; what goes in and comes out is JSON of its own. */
function plain(value: unknown): unknown {
  if (typeof value === 'function') return null
  if (typeof value === 'number' && !Number.isFinite(value)) return null
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => plain(item) ?? null)
  if (Object.hasOwn(value, '_jsonata_lambda') || Object.hasOwn(value, '_jsonata_function')) return null
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[key, plain(item)]])),
  )
}

const MAX_REASON_CHARACTERS = 300

/** JSONata throws plain objects, with a message and the place in the expression. */
function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deep, or too large.'
  const { message, position } = error as { message?: unknown; position?: unknown }
  const reason = String(message ?? error).slice(0, MAX_REASON_CHARACTERS)
  return error instanceof Error || typeof position !== 'number'
    ? reason
    : `${reason} (at character ${position})`
}
