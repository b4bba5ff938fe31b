import { AppError } from '#kernel/errors'
import type { Caller } from './caller'
import { answerWith, isEventStream, relayEvents, wholeBody } from './relay'
import { modelRequest } from './request'
import type { Serve } from './serve'

/** Speech, whole: an engine that aborts in the middle must be a failure, not half a recording. */
export const speech =
  (serve: Serve) =>
  async (body: unknown, caller: Caller): Promise<Response> => {
    const { voice, ...rest } = modelRequest(body)
    // A voice of `null` is none: some providers take it for a name.
    const request = voice === null || voice === undefined ? rest : { ...rest, voice }
    const answer = await serve(request.model, (provider) => provider.post('/audio/speech', request, caller))
    if (isEventStream(answer)) return relayEvents(answer)
    const audio = await wholeBody(answer)
    if (audio.byteLength === 0) throw new AppError('upstream_error', 'The provider produced no audio.')
    return answerWith(answer, audio)
  }
