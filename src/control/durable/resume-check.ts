import { list } from '#graph/problem'

/** What an answer lacks of what its gate requires, as a sentence; null where it lacks nothing (interface, 3.4). */
export function missingKeys(schema: Record<string, unknown> | null, answer: unknown): string | null {
  const required = Array.isArray(schema?.required)
    ? schema.required.filter((key) => typeof key === 'string')
    : []
  if (required.length === 0) return null
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
    return `The answer must be an object with ${list(required)}.`
  }
  const missing = required.filter((key) => !Object.hasOwn(answer, key))
  return missing.length === 0 ? null : `The answer lacks ${list(missing)}.`
}
