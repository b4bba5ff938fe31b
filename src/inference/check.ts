import type { TSchema } from '@sinclair/typebox'
import { Value, type ValueError } from '@sinclair/typebox/value'

/** What is wrong with `value`, naming the field (`lifecycle.priority: …`); `null` when nothing is. */
export function firstProblem(schema: TSchema, value: unknown): string | null {
  // A missing field is reported twice, as missing and as of the wrong type: the first one says more.
  const problem = Value.Errors(schema, value).First()
  if (!problem) return null
  const field = problem.path.slice(1).replaceAll('/', '.')
  return field ? `${field}: ${sentence(problem)}` : sentence(problem)
}

function sentence({ message, schema, value }: ValueError): string {
  if (message === 'Unexpected property') return 'is not a known field.'
  if (message === 'Expected required property') return 'is required.'
  const choices: unknown[] | undefined = schema.enum ?? schema.anyOf?.map(choice)
  if (choices) return `must be one of ${choices.join(', ')}, not ${shown(value)}.`
  return `${message.replace(/^Expected/, 'expected')}.`
}

const choice = (one: TSchema): string => (one.const === undefined ? String(one.type) : String(one.const))

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 80) ?? 'nothing'
