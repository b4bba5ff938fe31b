import { type ModelView, useModels } from '../registries/data'

/** What one waits for while a model of this machine comes into memory, in words; null where that is not it. */
export function useLoadingModel(model: string | null): string | null {
  return wordsFor(useModels(undefined, true).data ?? [], model)
}

/** `model`: the one that is asked; without it whichever is loading, as an agent may ask any. */
export function wordsFor(models: readonly Pick<ModelView, 'logicalId' | 'state'>[], model: string | null) {
  const asked = models.find(
    ({ logicalId, state }) =>
      (model === null || logicalId === model) && (state.phase === 'loading' || state.phase === 'waiting'),
  )
  if (!asked) return null
  return asked.state.phase === 'loading'
    ? `Loading ${asked.logicalId} into memory`
    : `${asked.logicalId} waits for room in memory`
}
