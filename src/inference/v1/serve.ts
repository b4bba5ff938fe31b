import { AppError } from '#kernel/errors'
import type { Registration } from '../models/schema'
import type { ModelService } from '../models/service'
import type { Answer } from './answer'
import type { EngineProvider } from './engine-provider'
import type { Provider, RemoteProvider } from './provider'

type Use = (provider: Provider) => Promise<Answer>

/** Does `use` with what serves a model; every modality goes through it. */
export type Serve = (logicalId: string, use: Use) => Promise<Answer>

interface Deps {
  models: Pick<ModelService, 'registration' | 'find'>
  remote: RemoteProvider
  engine: EngineProvider
}

/** @throws {AppError} `model_not_found`, `engine_unavailable`, `credential_error`, and what `use` throws */
export function serveModels({ models, remote, engine }: Deps): Serve {
  const provider = (id: string, registration: Registration): Provider =>
    registration.binding === 'standard-compatible' ? remote(registration) : engine(id, registration)

  return async (id, use) => {
    const registration = models.registration(id)
    try {
      return await use(provider(id, registration))
    } catch (error) {
      const fallback = fallbackOf(registration, error)
      const next = fallback === null ? undefined : models.find(fallback)
      if (fallback === null || !next) throw error
      // Once, and no further: the fallback's own fallback is not asked.
      return await use(provider(fallback, next))
    }
  }
}

/** The model to ask instead, where this failure says that the first one cannot serve now. */
function fallbackOf(registration: Registration, error: unknown): string | null {
  if (registration.binding === 'standard-compatible' || !(error instanceof AppError)) return null
  return error.code === 'no_capacity' || error.code === 'engine_unavailable' ? registration.fallback : null
}
