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
  log: Logger
  keepaliveMs: number
}

/** The standard protocol over every registered model. */
export const dataPlane = ({ ids, serve, log, keepaliveMs }: Deps) => ({
  models: () => ({
    object: 'list' as const,
    data: ids().map((id) => ({ id, object: 'model' as const, owned_by: 'tycho' })),
  }),
  chat: chat(serve),
  embeddings: embeddings(serve),
  transcriptions: transcriptions(serve),
  speech: speech(serve),
  images: images({ serve, log, keepaliveMs }),
})
