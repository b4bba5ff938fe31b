import { isDeepStrictEqual } from 'node:util'
import { AppError } from '#kernel/errors'
import { readRegistration } from '../models/registration'
import type { RegistryStore } from '../models/store'
import { checkWeights } from '../models/weights'
import type { Plan } from './plan'
import type { InstallStore, JobRecord } from './store'

interface Deps {
  registry: Pick<RegistryStore, 'find' | 'addMissing'>
  installs: InstallStore
}

/**
 * Registers what was downloaded, and from where. Done twice, as after a crash in between, it comes to the same.
 * @throws {AppError} `logical_id_exists`, `incomplete_weights`
 */
export const registerDownloaded =
  ({ registry, installs }: Deps) =>
  async (job: JobRecord, { modality, revision }: Plan, weights: string): Promise<void> => {
    const { logicalId, repo, engine, variantId } = job
    const binding = readRegistration(
      job.binding
        ? { ...job.binding, model: weights }
        : { binding: engine, source: 'local-path', model: weights, modality },
    )
    await checkWeights(binding)
    const [kept] = await registry.addMissing([{ logicalId, binding }])
    if (kept !== undefined && !isDeepStrictEqual(registry.find(logicalId), binding)) {
      throw new AppError(
        'logical_id_exists',
        `Another model was registered as ${logicalId} meanwhile. The weights are at ${weights}: register them under another id.`,
      )
    }
    await installs.put(logicalId, { repo, engine, variantId, revision })
  }
