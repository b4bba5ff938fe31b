import type { Logger } from '#kernel/log'
import { keptAlive } from './keepalive'
import { relay } from './relay'
import { modelRequest } from './request'
import type { Serve } from './serve'

interface Deps {
  serve: Serve
  log: Logger
  keepaliveMs: number
}

/** Images. A slow render keeps its connection with white space; a stream of partial images keeps itself. */
export const images =
  ({ serve, log, keepaliveMs }: Deps) =>
  async (body: unknown, signal: AbortSignal): Promise<Response> => {
    const request = modelRequest(body)
    const render = async (stop: AbortSignal) =>
      relay(await serve(request.model, (provider) => provider.post('/images/generations', request, stop)))
    return request.stream === true ? render(signal) : keptAlive(render, { signal, keepaliveMs, log })
  }
