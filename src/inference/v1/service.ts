import type { LiveModel } from '#engines/live'
import type { Logger } from '#kernel/log'
import { chat } from './chat'
import { embeddings } from './embeddings'
import { images } from './images'
import type { Serve } from './serve'
import { speech } from './speech'
import { transcriptions } from './transcriptions'

export type DataPlane = ReturnType<typeof dataPlane>

interface Deps {
  ids: () => string[]
  serve: Serve
  /** How a model of this machine stands. */
  live: (id: string) => LiveModel
  log: Logger
  keepaliveMs: number
  progressMs: number
}

/** The standard protocol over every registered model. */
export const dataPlane = ({ ids, serve, live, log, keepaliveMs, progressMs }: Deps) => ({
  models: () => ({
    object: 'list' as const,
    data: ids().map((id) => ({ id, object: 'model' as const, owned_by: 'tycho' })),
  }),
  chat: chat({ serve, live, progressMs, log }),
  embeddings: embeddings(serve),
  transcriptions: transcriptions(serve),
  speech: speech(serve),
  images: images({ serve, log, keepaliveMs }),
})
