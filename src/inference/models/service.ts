import type { LiveModel } from '#engines/live'
import type { Resident } from '#engines/resident'
import type { CapabilityProbe } from './capabilities'
import { registered } from './registered'
import { checkLogicalId, readRegistration } from './registration'
import type { Capabilities, Engines, ModelView, Registration, RegistrationInput } from './schema'
import type { RegistryStore } from './store'
import { checkWeights } from './weights'

export type ModelService = ReturnType<typeof modelService>

interface Deps {
  registry: RegistryStore
  /** A registration that is replaced or removed is not what was downloaded any more. */
  forgetInstall: (id: string) => Promise<void>
  probe: CapabilityProbe
  resident: Pick<Resident, 'warm' | 'evict' | 'retire' | 'model' | 'engines' | 'ceiling'>
}

/** The registrations, and what is loaded of them. */
export function modelService({ registry, forgetInstall, probe, resident }: Deps) {
  /** @throws {AppError} `model_not_found` */
  const registration = (id: string): Registration => registered(registry, id)

  const view = (logicalId: string, binding: Registration): ModelView => ({
    logicalId,
    binding,
    state: binding.binding === 'standard-compatible' ? REMOTE : stateOf(resident.model(logicalId)),
  })

  return {
    registration,
    find: registry.find,
    ids: (): string[] => registry.all().map(({ logicalId }) => logicalId),
    hasRemote: (): boolean => registry.all().some(({ binding }) => binding.binding === 'standard-compatible'),

    list: (): { models: ModelView[] } => ({
      models: registry.all().map(({ logicalId, binding }) => view(logicalId, binding)),
    }),
    get: (id: string): ModelView => view(id, registration(id)),

    /** Registers, or replaces what is registered under the id; an engine of the old one ends with its last request. */
    async put(id: string, input: RegistrationInput): Promise<ModelView> {
      checkLogicalId(id)
      const binding = readRegistration(input)
      await checkWeights(binding)
      await registry.put(id, binding)
      await forgetInstall(id)
      await resident.retire(id)
      return view(id, binding)
    },

    async remove(id: string): Promise<void> {
      registration(id)
      await registry.remove(id)
      await forgetInstall(id)
      await resident.retire(id)
    },

    /** Loads a local model; a remote one is always warm. */
    async warm(id: string, signal: AbortSignal): Promise<ModelView> {
      const binding = registration(id)
      if (binding.binding !== 'standard-compatible') await resident.warm(id, signal)
      return view(id, binding)
    },

    /** Frees a local model, at once or when its last request ends. */
    async evict(id: string): Promise<ModelView> {
      const binding = registration(id)
      if (binding.binding !== 'standard-compatible') await resident.evict(id)
      return view(id, binding)
    },

    capabilities: (id: string, signal: AbortSignal): Promise<Capabilities> =>
      probe(id, registration(id), signal),

    engines: (): Engines => ({ maxResident: resident.ceiling(), resident: resident.engines() }),
  }
}

/** Nothing of it runs here. */
const REMOTE: ModelView['state'] = { resident: false, inflight: 0, draining: false }

/** The phase is told while it passes: cold and ready show in `resident`. */
const stateOf = ({ phase, ...state }: LiveModel): ModelView['state'] =>
  phase === 'cold' || phase === 'ready' ? state : { ...state, phase }
