import { serveHost } from '../http'
import type { HostOptions } from '../options'
import { chatRoutes } from './chat'
import { embeddingRoutes } from './embeddings'
import { chatContext, describe, embeddingContext, loadModel, openLlama } from './model'

export const version = async (options: HostOptions): Promise<string> => describe(await openLlama(options))

/** llama.cpp behind the part of llama-server's HTTP that the inference plane uses. */
export async function serve(options: HostOptions): Promise<void> {
  await serveHost(options.port, async () => {
    const llama = await openLlama(options)
    const model = await loadModel(llama, options)
    const build = await describe(llama)
    return options.pooling === undefined
      ? chatRoutes({ llama, model, context: await chatContext(model, options), build })
      : embeddingRoutes({ model, context: await embeddingContext(model, options), build, options })
  })
}
