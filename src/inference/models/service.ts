import { AppError } from '#kernel/errors'
import type { CapabilityProbe } from './capabilities'
import { noEngine, quoted } from './no-engine'
import { checkLogicalId, readRegistration } from './registration'
import type { Capabilities, Engines, ModelView, Registration, RegistrationInput } from './schema'
import type { RegistryStore } from './store'

export type ModelService = ReturnType<typeof modelService>

interface Deps {
  registry: RegistryStore
  probe: CapabilityProbe
  maxResident: () => number
}

/** The registrations, and what is loaded of them. */
export function modelService({ registry, probe, maxResident }: Deps) {
  /** @throws {AppError} `model_not_found` */
  function registration(id: string): Registration {
    const found = registry.find(id)
    if (!found) {
      throw new AppError(
        'model_not_found',
        `No model is registered as ${quoted(id)}. GET /v1/models lists those that are.`,
      )
    }
    return found
  }

  return {
    registration,
    find: registry.find,
    ids: (): string[] => registry.all().map(({ logicalId }) => logicalId),
    hasRemote: (): boolean => registry.all().some(({ binding }) => binding.binding === 'standard-compatible'),

    list: (): { models: ModelView[] } => ({
      models: registry.all().map(({ logicalId, binding }) => view(logicalId, binding)),
    }),
    get: (id: string): ModelView => view(id, registration(id)),

    /** Registers, or replaces what is registered under the id. */
    async put(id: string, input: RegistrationInput): Promise<ModelView> {
      checkLogicalId(id)
      const binding = readRegistration(input)
      await registry.put(id, binding)
      return view(id, binding)
    },

    async remove(id: string): Promise<void> {
      registration(id)
      await registry.remove(id)
    },

    /** Loads a local model; a remote one is always warm. */
    warm(id: string): ModelView {
      const binding = registration(id)
      if (binding.binding !== 'standard-compatible') throw noEngine(id, binding)
      return view(id, binding)
    },

    /** Frees a local model. None is ever loaded yet, so there is nothing to do. */
    evict: (id: string): ModelView => view(id, registration(id)),

    capabilities: (id: string, signal: AbortSignal): Promise<Capabilities> =>
      probe(id, registration(id), signal),

    engines: (): Engines => ({ maxResident: maxResident(), resident: [] }),
  }
}

const view = (logicalId: string, binding: Registration): ModelView => ({
  logicalId,
  binding,
  state: { resident: false, inflight: 0, draining: false },
})
