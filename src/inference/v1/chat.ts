import type { LiveModel } from '#engines/live'
import { tryParse } from '#kernel/json'
import type { Logger } from '#kernel/log'
import type { Answer } from './answer'
import type { Caller } from './caller'
import { withLoadProgress } from './load-progress'
import { answerWith, isEventStream, relayEvents, wholeBody } from './relay'
import { type ModelRequest, modelRequest } from './request'
import type { Serve } from './serve'

/** How long an engine was loaded for this answer. */
const LOAD_HEADER = 'x-service-load-ms'

interface Deps {
  serve: Serve
  live: (id: string) => LiveModel
  progressMs: number
  log: Logger
}

/**
 * A chat. The answer's `model` is the logical id that the caller asked for; the chunks of a stream pass on untouched,
 * with the provider's own name, because taking each apart would cost more than it tells.
 */
export const chat =
  ({ serve, ...telling }: Deps) =>
  async (body: unknown, caller: Caller): Promise<Response> => {
    const request = modelRequest(body)
    const result = completion(serve, request, caller)
    return await (request.stream === true ? withLoadProgress(result, { caller, ...telling }) : result)
  }

async function completion(serve: Serve, request: ModelRequest, caller: Caller): Promise<Response> {
  const answer = await serve(request.model, (provider) => provider.post('/chat/completions', request, caller))
  const own = await ownAnswer(answer, request)
  if (caller.load.tookMs > 0) own.headers.set(LOAD_HEADER, `${Math.round(caller.load.tookMs)}`)
  return own
}

async function ownAnswer(answer: Answer, { model }: ModelRequest): Promise<Response> {
  if (isEventStream(answer)) return relayEvents(answer)
  const bytes = await wholeBody(answer)
  const whole = tryParse(new TextDecoder().decode(bytes)) as { model?: unknown } | null | undefined
  if (typeof whole?.model !== 'string') return answerWith(answer, bytes)
  return answerWith(answer, JSON.stringify({ ...whole, model }))
}
