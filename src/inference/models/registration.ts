import { Value } from '@sinclair/typebox/value'
import { AppError } from '#kernel/errors'
import { isHttpUrl } from '#kernel/urls'
import { firstProblem } from '../check'
import { ManagedRegistration, type Registration, RemoteRegistration } from './schema'

/** Launch settings of llama.cpp that are whole numbers from 1, and the two that are words. None reaches a request. */
const COUNTED_LAUNCH_PARAMS = ['ctxSize', 'parallel', 'batchSize', 'ubatchSize'] as const
const WORDED_LAUNCH_PARAMS = ['mmproj', 'pooling'] as const
export const LAUNCH_PARAMS: ReadonlySet<string> = new Set([...COUNTED_LAUNCH_PARAMS, ...WORDED_LAUNCH_PARAMS])

const CREDENTIAL_REF = /^secret:\/\/([A-Za-z_][A-Za-z0-9_]*)$/
/** Params travel with every request, so they stay small. */
const MAX_PARAMS_CHARS = 65_536
const MAX_ID_CHARS = 200

/** Checks a registration and fills in its defaults. @throws {AppError} `invalid_binding`, naming the field */
export function readRegistration(input: unknown): Registration {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalid('The body must be a JSON object with the field binding.')
  }
  // Filling in defaults would take an empty list for an empty object.
  const list = Object.entries(input).find(([, value]) => Array.isArray(value))
  if (list) throw invalid(`${list[0]}: must not be a list.`)
  const { binding } = input as { binding?: unknown }
  switch (binding) {
    case 'llamacpp':
    case 'mlx':
      return checkParams(shaped<ManagedRegistration>(ManagedRegistration, input))
    case 'standard-compatible':
      return checkRemote(shaped<RemoteRegistration>(RemoteRegistration, input))
    default:
      throw invalid('binding: must be one of llamacpp, mlx, standard-compatible.')
  }
}

/** @throws {AppError} `invalid_binding` for an id that no path could name */
export function checkLogicalId(id: string): void {
  const printable = id.length > 0 && id.length <= MAX_ID_CHARS && !/\p{Cc}/u.test(id)
  if (!printable || id.trim() !== id || id.startsWith('/') || id.endsWith('/')) {
    throw invalid(
      `The logical id must be 1 to ${MAX_ID_CHARS} characters without a space or slash at its ends.`,
    )
  }
}

/** The NAME in `secret://NAME`; `null` for anything else. */
export const credentialName = (ref: string): string | null => CREDENTIAL_REF.exec(ref)?.[1] ?? null

function shaped<T extends Registration>(
  schema: typeof ManagedRegistration | typeof RemoteRegistration,
  input: object,
): T {
  const filled = Value.Default(schema, structuredClone(input))
  const problem = firstProblem(schema, filled)
  if (problem) throw invalid(problem)
  return filled as T
}

function checkRemote(registration: RemoteRegistration): RemoteRegistration {
  if (!isHttpUrl(registration.baseUrl)) {
    throw invalid('baseUrl: must be an http or https URL without a user name or password.')
  }
  const url = new URL(registration.baseUrl)
  if (url.search || url.hash) throw invalid('baseUrl: must end with the path, without ? or #.')
  if (registration.credentialRef !== null && credentialName(registration.credentialRef) === null) {
    throw invalid('credentialRef: must be secret://NAME, NAME shaped like an environment variable.')
  }
  return checkParams(registration)
}

function checkParams<T extends Registration>(registration: T): T {
  const { binding, params } = registration
  if (JSON.stringify(params).length > MAX_PARAMS_CHARS) {
    throw invalid(`params: must be at most ${MAX_PARAMS_CHARS} characters of JSON.`)
  }
  const launch = Object.keys(params).find((name) => LAUNCH_PARAMS.has(name))
  if (launch !== undefined && binding !== 'llamacpp') {
    throw invalid(`params.${launch}: is a launch setting of llamacpp and means nothing to ${binding}.`)
  }
  for (const name of COUNTED_LAUNCH_PARAMS) {
    const value = params[name]
    if (value !== undefined && !(Number.isInteger(value) && (value as number) >= 1)) {
      throw invalid(`params.${name}: must be a whole number from 1.`)
    }
  }
  for (const name of WORDED_LAUNCH_PARAMS) {
    const value = params[name]
    if (value !== undefined && (typeof value !== 'string' || value === '')) {
      throw invalid(`params.${name}: must be a text that is not empty.`)
    }
  }
  return registration
}

const invalid = (message: string) => new AppError('invalid_binding', message)
