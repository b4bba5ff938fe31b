import { classes } from '../kit/classes'
import { texts as registries } from '../texts/registries'
import { type ModelView, useModels } from './data'
import { wholeSeconds } from './labels'

const texts = registries.loadLine

interface Load {
  logicalId: string
  text: string
}

/**
 * What is being loaded into memory, in words that change every second: one of these models, or any where it is not known
 * which ones are asked; `null` while there is none.
 */
export function useLoadOf(ids: readonly string[] | null): Load | null {
  const loading = useModels((models) => models.find((model) => isAwaited(model, ids)), true).data
  if (!loading) return null
  const { logicalId, state } = loading
  const text = state.phase === 'waiting' ? texts.waiting : texts.loading
  return { logicalId, text: text(logicalId, wholeSeconds(state.loadingMs ?? 0)) }
}

const isAwaited = ({ logicalId, state }: ModelView, ids: readonly string[] | null) =>
  (state.phase === 'waiting' || state.phase === 'loading') && (ids?.includes(logicalId) ?? true)

/** The same as a line of its own; nothing while nothing loads. */
export function LoadLine({ models, className }: { models: readonly string[]; className?: string }) {
  const load = useLoadOf(models)
  return load && <p className={classes('text-xs text-muted', className)}>{load.text}</p>
}
