import { tryParse } from '#kernel/json'
import { ExpressionError, expressionBudget } from './expression/budget'
import { idleByText } from './expression/idle'
import { prepare } from './expression/prepared'
import { quote } from './problem'
import { type Inputs, isReference, resolveReference, resolveTemplate } from './template'

export { ExpressionError } from './expression/budget'

const MAX_EXPRESSION_CHARACTERS = 100_000
/**
 * Compiled expressions that no evaluation uses, the same for all runs: most are of few graphs. A character of an
 * expression takes some 100 bytes when it is compiled.
 */
const MAX_IDLE_CHARACTERS = 200_000
const expressions = idleByText(prepare, MAX_IDLE_CHARACTERS)

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
    const expression = expressions.borrow(text)
    const result = await expression.evaluate({ in: plain(fed) }, budget)
    // One that failed may still be at work on another part, and is not used again.
    expressions.giveBack(text, expression)
    budget.admit(result)
    return plain(result) ?? null
  } catch (error) {
    throw new ExpressionError(`Node ${quote(node)}: the expression failed: ${reasonOf(error)}`, {
      cause: error,
    })
  }
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
