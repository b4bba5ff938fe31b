/** What `mlx_lm.server` reads of a chat. */
export interface MlxRequest {
  model?: string
  stream?: boolean
  stream_options?: { include_usage?: boolean } | null
}

interface Told {
  writes?: string
  cut?: boolean
}

const PIECE_CHARS = 3
const USAGE = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 }

/**
 * The answer of `mlx_lm.server`: every message and delta has its role, `content` (never null), `reasoning` and a list of
 * calls, empty or not; comments while the prompt is read; the usage in an event of its own whose object is no chunk.
 */
export function mlxAnswer({ model, stream, stream_options }: MlxRequest, told: Told): Response {
  const { writes = 'Hello from MLX.', cut = false } = told
  const finish = cut ? 'length' : 'stop'
  const head = { id: 'chatcmpl-1', system_fingerprint: '0.28.4-mlx', model, created: 1 }
  const said = (content: string) => ({ role: 'assistant', content, reasoning: '', tool_calls: [] })
  if (!stream) {
    const choices = [{ index: 0, finish_reason: finish, message: said(writes) }]
    return Response.json({ ...head, object: 'chat.completion', choices, usage: USAGE })
  }
  const event = (data: object) => `data: ${JSON.stringify({ ...head, ...data })}\n\n`
  const chunk = (content: string, finish_reason: string | null) =>
    event({ object: 'chat.completion.chunk', choices: [{ index: 0, finish_reason, delta: said(content) }] })
  const pieces = Array.from({ length: Math.ceil(writes.length / PIECE_CHARS) }, (_, at) =>
    writes.slice(at * PIECE_CHARS, (at + 1) * PIECE_CHARS),
  )
  const usage = event({ object: 'chat.completion', choices: [], usage: USAGE })
  const events = [
    ': keepalive 9/9\n\n',
    ...pieces.map((piece) => chunk(piece, null)),
    chunk('', finish),
    ...(stream_options?.include_usage ? [usage] : []),
    'data: [DONE]\n\n',
  ]
  return new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } })
}
