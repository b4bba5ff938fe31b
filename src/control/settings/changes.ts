import { AppError } from '#kernel/errors'
import { isSettingKey, type SettingKey } from './catalog'
import type { Deployment } from './kinds'
import { environmentValue, exceeds, rowOf, type Stored } from './resolve'

/** Far more than there are settings; an answer that named each of a million wrong keys would help nobody. */
const MAX_KEYS = 200
const MAX_NAMED = 5
const MAX_SHOWN_KEY = 100

export interface Changes {
  put: [SettingKey, unknown][]
  remove: string[]
}

/**
 * Reads a PATCH: which keys get a value and which lose theirs.
 * @throws {AppError} `invalid_setting` naming the keys, when any of it may not be stored
 */
export function readChanges(
  patch: unknown,
  stored: ReadonlyMap<string, Stored>,
  deployment: Deployment,
): Changes {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
    refuse(['the body must be an object of key and value'])
  }
  const entries = Object.entries(patch)
  if (entries.length > MAX_KEYS) refuse([`at most ${MAX_KEYS} settings can be changed at once`])
  const problems = entries.flatMap(([key, value]) => problemOf(key, value, stored, deployment) ?? [])
  if (problems.length > 0) refuse(problems)
  return {
    put: entries.filter((entry): entry is [SettingKey, unknown] => entry[1] !== null),
    remove: entries.filter(([, value]) => value === null).map(([key]) => key),
  }
}

function problemOf(
  key: string,
  value: unknown,
  stored: ReadonlyMap<string, Stored>,
  { env }: Deployment,
): string | undefined {
  if (!isSettingKey(key)) {
    // What an earlier release stored may be deleted, and nothing else be done with it.
    if (value === null && stored.has(key)) return
    return `there is no setting ${key.slice(0, MAX_SHOWN_KEY)}`
  }
  const setting = rowOf(key)
  const { environment, expected } = setting
  const given = environmentValue(setting, env)
  if (given !== undefined && environment?.rule === 'pin') {
    return `${key} is set by ${environment.variable} and cannot be changed here`
  }
  if (value === null) return
  if (!setting.accepts(value)) return `${key} must be ${expected}`
  if (given !== undefined && exceeds(setting, value, given)) {
    return `${key} may be at most ${given}, which ${environment?.variable} allows`
  }
}

function refuse(problems: string[]): never {
  const named = problems.slice(0, MAX_NAMED).join('; ')
  const more = problems.length > MAX_NAMED ? `; and ${problems.length - MAX_NAMED} more` : ''
  throw new AppError('invalid_setting', `Nothing was stored: ${named}${more}.`)
}
