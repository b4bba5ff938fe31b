import type { Resident } from '#engines/resident'
import type { Logger } from '#kernel/log'
import type { RegistryStore } from './store'

interface Deps {
  registry: Pick<RegistryStore, 'all'>
  resident: Pick<Resident, 'warm' | 'ceiling'>
  log: Logger
  signal: AbortSignal
}

/** Loads the models that are kept warm, the most important first and no more than there is room for. */
export async function loadKeptWarm({ registry, resident, log, signal }: Deps): Promise<void> {
  const kept = registry
    .all()
    .flatMap(({ logicalId, binding }) =>
      binding.binding !== 'standard-compatible' && binding.lifecycle.keepWarm
        ? [{ logicalId, priority: binding.lifecycle.priority }]
        : [],
    )
    .sort((a, b) => b.priority - a.priority)
    .slice(0, resident.ceiling())
  for (const { logicalId } of kept) {
    if (signal.aborted) return
    await resident.warm(logicalId, signal).catch((error: unknown) => {
      if (!signal.aborted)
        log.warn({ model: logicalId, err: error }, 'a model that is kept warm does not load')
    })
  }
}
