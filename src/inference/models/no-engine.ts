import { AppError } from '#kernel/errors'
import type { Registration } from './schema'

/** What a registration for a local engine is answered with until there are engines. */
export const noEngine = (id: string, { binding, modality }: Registration) =>
  new AppError(
    'engine_unavailable',
    `${quoted(id)} needs the engine ${binding} for ${modality}, and this release starts no local engines yet. ` +
      'Serve the weights with a program of your own and register its address as standard-compatible.',
  )

/** Ids come from callers and may be of any length. */
export const quoted = (id: string): string => `"${id.slice(0, 200)}"`
