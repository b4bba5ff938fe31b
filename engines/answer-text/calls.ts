import { tryParse } from '#kernel/json'
import type { Call } from './pieces'

/**
 * The calls that a text holds as JSON: one object, a list of them, or several with `;` between (Llama). `null` where it
 * holds anything else, or names none of `tools`.
 */
export function callsIn(text: string, tools: ReadonlySet<string> | null = null): Call[] | null {
  const whole = tryParse(text.trim())
  const values =
    whole === undefined ? text.split(/;\s*(?=\{)/).map((part) => tryParse(part.trim())) : [whole].flat()
  const calls = values.map(callOf)
  const isAll = calls.length > 0 && calls.every((call) => call !== null && (tools?.has(call.name) ?? true))
  return isAll ? (calls as Call[]) : null
}

function callOf(value: unknown): Call | null {
  if (typeof value !== 'object' || value === null) return null
  const outer = value as Record<string, unknown>
  const inner = (
    typeof outer.function === 'object' && outer.function !== null ? outer.function : outer
  ) as Record<string, unknown>
  const { name } = inner
  const given = inner.arguments ?? inner.parameters ?? {}
  if (typeof name !== 'string') return null
  return { kind: 'call', name, arguments: typeof given === 'string' ? given : JSON.stringify(given) }
}
