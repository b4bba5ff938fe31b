import type { Logger } from '#kernel/log'
import type { Caller } from './caller'
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
  async (body: unknown, caller: Caller): Promise<Response> => {
    const request = modelRequest(body)
    const { signal } = caller
    const render = async (stop: AbortSignal) => {
      const leaving = { ...caller, signal: stop }
      return relay(
        await serve(request.model, (provider) => provider.post('/images/generations', request, leaving)),
      )
    }
    return request.stream === true ? render(signal) : keptAlive(render, { signal, keepaliveMs, log })
  }
