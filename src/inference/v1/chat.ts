import { tryParse } from '#kernel/json'
import type { Caller } from './caller'
import { answerWith, isEventStream, relayEvents, wholeBody } from './relay'
import { modelRequest } from './request'
import type { Serve } from './serve'

/**
 * A chat. The answer's `model` is the logical id that the caller asked for; the chunks of a stream pass on untouched,
 * with the provider's own name, because taking each apart would cost more than it tells.
 */
export const chat =
  (serve: Serve) =>
  async (body: unknown, caller: Caller): Promise<Response> => {
    const request = modelRequest(body)
    const answer = await serve(request.model, (provider) =>
      provider.post('/chat/completions', request, caller),
    )
    if (isEventStream(answer)) return relayEvents(answer)
    const bytes = await wholeBody(answer)
    const completion = tryParse(new TextDecoder().decode(bytes)) as { model?: unknown } | null | undefined
    if (typeof completion?.model !== 'string') return answerWith(answer, bytes)
    return answerWith(answer, JSON.stringify({ ...completion, model: request.model }))
  }
