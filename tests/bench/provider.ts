/**
 * The model server that the stream benchmarks run against, as a process of its own: an OpenAI-compatible chat whose
 * every token is the moment it was sent, so that whoever receives it knows how long it travelled.
 *
 * `bun tests/bench/provider.ts`; `x-pace-ms` in the request's `user` field paces the stream, 0 sends at full speed.
 */
const CHUNKS = 200
const encoder = new TextEncoder()

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  async fetch(request) {
    if (new URL(request.url).pathname.endsWith('/models')) return Response.json({ object: 'list', data: [] })
    const { user } = (await request.json()) as { user?: string }
    const paceMs = Number(user ?? 0)
    let sent = 0
    return new Response(
      new ReadableStream<Uint8Array>({
        async pull(out) {
          if (paceMs > 0) await Bun.sleep(paceMs)
          if (sent++ < CHUNKS) return out.enqueue(encoder.encode(chunk({ content: `${now()} ` })))
          out.enqueue(encoder.encode(`${chunk({}, 'stop')}data: [DONE]\n\n`))
          out.close()
        },
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    )
  },
})
console.log(server.url.href)

/** Microseconds since the epoch, with the same clock in every process of the machine. */
function now(): number {
  return Math.round((performance.timeOrigin + performance.now()) * 1000)
}

function chunk(delta: object, finish_reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason }]
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'bench', choices })}\n\n`
}
