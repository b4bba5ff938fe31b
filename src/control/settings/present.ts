import { isSettingKey, type SettingKey } from './catalog'
import type { Deployment, Headers } from './kinds'
import { environmentValue, type Resolved, rowOf, type Stored } from './resolve'
import type { Setting as Entry } from './schema'

/** A setting as the API shows it. The values of a secret never leave: only the names do. */
export function present(key: SettingKey, resolved: Resolved, deployment: Deployment): Entry {
  const setting = rowOf(key)
  const { type, apply, description, constraints, environment } = setting
  const { stored } = resolved
  const secret = type === 'secret'
  const given = environmentValue(setting, deployment.env)
  const capped = environment?.rule === 'cap' && given !== undefined
  return {
    key,
    // The catalog's rows say what a value may be; what counts has passed them.
    value: secret ? secretView(stored) : (resolved.value as Entry['value']),
    stored_value: storedView(stored, secret),
    default: setting.default(deployment) as Entry['default'],
    type,
    source: resolved.source,
    env_var: environment?.variable ?? null,
    env_pinned: environment?.rule === 'pin' && given !== undefined,
    env_capped: capped,
    env_cap_value: capped ? (given as string | number) : null,
    apply,
    restart_pending: false,
    stored_invalid: resolved.storedInvalid,
    constraints: { ...constraints, choices: constraints.choices ? [...constraints.choices] : null },
    description,
    group: key.slice(0, key.indexOf('.')),
  }
}

export const orphansOf = (stored: ReadonlyMap<string, Stored>): string[] =>
  [...stored.keys()].filter((key) => !isSettingKey(key))

function storedView(stored: Stored | undefined, secret: boolean): unknown {
  if (!stored) return null
  if (secret) return secretView(stored)
  // Text that is not even JSON reads as none.
  return stored.readable ? (stored.value ?? null) : null
}

function secretView(stored: Stored | undefined): { set: boolean; names: string[]; unreadable?: true } {
  if (!stored) return { set: false, names: [] }
  if (!stored.readable) return { set: true, names: [], unreadable: true }
  return { set: true, names: Object.keys((stored.value ?? {}) as Headers) }
}
