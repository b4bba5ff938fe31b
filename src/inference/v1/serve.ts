import { AppError } from '#kernel/errors'
import { noEngine } from '../models/no-engine'
import type { Registration } from '../models/schema'
import type { ModelService } from '../models/service'
import type { Provider, RemoteProvider } from './provider'

type Use = (provider: Provider) => Promise<Response>

/** Does `use` with what serves a model; every modality goes through it. */
export type Serve = (logicalId: string, use: Use) => Promise<Response>

interface Deps {
  models: Pick<ModelService, 'registration' | 'find'>
  remote: RemoteProvider
}

/** @throws {AppError} `model_not_found`, `engine_unavailable`, `credential_error`, and what `use` throws */
export function serveModels({ models, remote }: Deps): Serve {
  async function ask(id: string, registration: Registration, use: Use): Promise<Response> {
    if (registration.binding !== 'standard-compatible') throw noEngine(id, registration)
    return await use(remote(registration))
  }

  return async (id, use) => {
    const registration = models.registration(id)
    try {
      return await ask(id, registration, use)
    } catch (error) {
      const fallback = fallbackOf(registration, error)
      const next = fallback === null ? undefined : models.find(fallback)
      if (fallback === null || !next) throw error
      // Once, and no further: the fallback's own fallback is not asked.
      return await ask(fallback, next, use)
    }
  }
}

/** The model to ask instead, where this failure says that the first one cannot serve now. */
function fallbackOf(registration: Registration, error: unknown): string | null {
  if (registration.binding === 'standard-compatible' || !(error instanceof AppError)) return null
  return error.code === 'no_capacity' || error.code === 'engine_unavailable' ? registration.fallback : null
}
