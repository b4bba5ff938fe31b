import type { ManagedRegistration as EngineRegistration } from '#engines/engine'
import { AppError } from '#kernel/errors'
import type { Registration } from './schema'
import type { RegistryStore } from './store'

/** @throws {AppError} `model_not_found` */
export function registered(registry: Pick<RegistryStore, 'find'>, id: string): Registration {
  const found = registry.find(id)
  if (found) return found
  throw new AppError(
    'model_not_found',
    `No model is registered as ${quoted(id)}. GET /v1/models lists those that are.`,
  )
}

/** What an engine is to serve. @throws {AppError} where it was deleted, or replaced by a remote model, meanwhile */
export function registeredHere(registry: Pick<RegistryStore, 'find'>, id: string): EngineRegistration {
  const found = registered(registry, id)
  if (found.binding !== 'standard-compatible') return found
  throw new AppError('model_not_found', `${quoted(id)} has become a remote model. Ask again.`)
}

/** Ids come from callers and may be of any length. */
export const quoted = (id: string): string => `"${id.slice(0, 200)}"`
