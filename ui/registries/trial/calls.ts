import { ApiError, openEventStream, request } from '../../api'

/** Straight to the data plane, as any client would: no run is kept. */
const post = (path: string, body: unknown, signal: AbortSignal) =>
  request('inference', path, {
    method: 'POST',
    signal,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** `image` is a data URI. */
export async function openChat(
  model: string,
  { prompt, image }: { prompt: string; image: string | null },
  signal: AbortSignal,
) {
  const content =
    image === null
      ? prompt
      : [
          { type: 'text', text: prompt },
          { type: 'image_url', image_url: { url: image } },
        ]
  const body = {
    model,
    messages: [{ role: 'user', content }],
    stream: true,
    stream_options: { include_usage: true },
  }
  const { events } = await openEventStream('/v1/chat/completions', {
    plane: 'inference',
    method: 'POST',
    body,
    signal,
  })
  return events
}

export async function embed(model: string, input: string[], signal: AbortSignal): Promise<number[][]> {
  const response = await post('/v1/embeddings', { model, input, encoding_format: 'float' }, signal)
  const { data } = (await response.json()) as { data: { embedding: number[] }[] }
  return data.map(({ embedding }) => embedding)
}

export async function transcribe(model: string, file: File, signal: AbortSignal): Promise<string> {
  const body = new FormData()
  body.set('model', model)
  body.set('file', file)
  const response = await request('inference', '/v1/audio/transcriptions', { method: 'POST', signal, body })
  return ((await response.json()) as { text: string }).text
}

export async function speak(
  model: string,
  { input, voice }: { input: string; voice: string },
  signal: AbortSignal,
): Promise<Blob> {
  const response = await post('/v1/audio/speech', { model, input, ...(voice ? { voice } : {}) }, signal)
  return response.blob()
}

/** The pictures as data URIs. A failure may come with a 200, where the render took long. */
export async function render(
  model: string,
  wanted: { prompt: string; size: string; steps?: number },
  signal: AbortSignal,
): Promise<string[]> {
  const body = { model, ...wanted, response_format: 'b64_json' }
  const answer = (await (await post('/v1/images/generations', body, signal)).json()) as {
    data?: { b64_json: string }[]
    error?: { code: string; message: string }
  }
  if (answer.error) throw new ApiError(200, answer.error.code, answer.error.message)
  return (answer.data ?? []).map(({ b64_json }) => `data:image/png;base64,${b64_json}`)
}
