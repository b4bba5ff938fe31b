import { existsSync } from 'node:fs'

/** What `mlx_lm.server` reads of a chat. */
export interface MlxRequest {
  model?: string
  stream?: boolean
  stream_options?: { include_usage?: boolean } | null
}

interface Told {
  writes?: string
  cut?: boolean
  crashAfterChunks?: number
  holdUntil?: string
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
  async function* events() {
    yield ': keepalive 9/9\n\n'
    for (const [index, piece] of pieces.entries()) {
      if (index === told.crashAfterChunks) process.exit(1)
      yield chunk(piece, null)
      while (told.holdUntil && !existsSync(told.holdUntil)) await Bun.sleep(5)
    }
    yield chunk('', finish)
    if (stream_options?.include_usage) yield event({ object: 'chat.completion', choices: [], usage: USAGE })
    yield 'data: [DONE]\n\n'
  }
  // Bun takes a generator for a body; the types do not say so.
  return new Response(events() as unknown as BodyInit, { headers: { 'content-type': 'text/event-stream' } })
}
