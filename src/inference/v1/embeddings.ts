import type { Caller } from './caller'
import { relay } from './relay'
import { modelRequest } from './request'
import type { Serve } from './serve'

/** Embeddings, as the provider made them. */
export const embeddings =
  (serve: Serve) =>
  async (body: unknown, caller: Caller): Promise<Response> => {
    const request = modelRequest(body)
    return relay(await serve(request.model, (provider) => provider.post('/embeddings', request, caller)))
  }
