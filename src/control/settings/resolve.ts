import type { Env } from '#kernel/env'
import { tryParse } from '#kernel/json'
import type { SecretBox } from '#kernel/secrets'
import { SETTING_KEYS, SETTINGS, type SettingKey } from './catalog'
import type { Deployment, Setting } from './kinds'
import type { SettingRow } from './store'

/** What the database has for a key; a secret that none of our keys opens is not readable. */
export type Stored = { readable: true; value: unknown } | { readable: false }

/** A setting as it counts now, and where its value comes from. */
export interface Resolved {
  value: unknown
  source: 'env' | 'stored' | 'default'
  stored: Stored | undefined
  /** The stored value does not validate, or cannot be read: the default counts instead. */
  storedInvalid: boolean
}

export type Resolution = Record<SettingKey, Resolved>

export const rowOf = (key: SettingKey): Setting => SETTINGS[key]

export const readRow = ({ value, sealed }: SettingRow, secrets: SecretBox): Stored => {
  const text = sealed ? secrets.open(sealed) : value
  return text === null ? { readable: false } : { readable: true, value: tryParse(text) }
}

export const resolveAll = (stored: ReadonlyMap<string, Stored>, deployment: Deployment): Resolution =>
  Object.fromEntries(
    SETTING_KEYS.map((key) => [key, resolve(rowOf(key), stored.get(key), deployment)]),
  ) as Resolution

/** Environment, then stored, then default (specification, part 8); of a cap, the lower of environment and stored. */
function resolve(setting: Setting, stored: Stored | undefined, deployment: Deployment): Resolved {
  const valid = stored?.readable === true && setting.accepts(stored.value)
  const facts = { stored, storedInvalid: stored !== undefined && !valid }
  const given = environmentValue(setting, deployment.env)
  const overruled =
    given !== undefined &&
    (setting.environment?.rule === 'pin' || !valid || exceeds(setting, stored.value, given))
  if (overruled) return { value: given, source: 'env', ...facts }
  if (valid) return { value: stored.value, source: 'stored', ...facts }
  return { value: setting.default(deployment), source: 'default', ...facts }
}

/** What the environment pins or caps the setting to; `undefined` when it does not. */
export const environmentValue = ({ environment }: Setting, env: Env): unknown =>
  environment && env[environment.variable]

export function exceeds({ constraints: { choices } }: Setting, value: unknown, cap: unknown): boolean {
  if (choices) return choices.indexOf(value as string) > choices.indexOf(cap as string)
  return (value as number) > (cap as number)
}
