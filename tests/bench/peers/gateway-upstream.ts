/**
 * A provider for the benchmark of the gateway: JSON, or for the model `pace-<ms>` a stream whose chunks say when they were
 * sent. The model says so because not every relay hands a query on.
 */
const CHUNKS = 200
const encoder = new TextEncoder()
const sse = (name: string, data: object) =>
  encoder.encode(`event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`)
const now = () => (performance.timeOrigin + performance.now()).toFixed(3)
const USAGE = { input_tokens: 10, output_tokens: 25 }
const MESSAGE = {
  id: 'msg',
  type: 'message',
  model: 'bench',
  content: [{ type: 'text', text: 'x'.repeat(500) }],
  usage: USAGE,
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  async fetch(request) {
    const pace = /"model":"pace-(\d+)"/.exec(await request.text())?.[1]
    if (pace === undefined) return Response.json(MESSAGE)
    const paceMs = Number(pace)
    let sent = 0
    return new Response(
      new ReadableStream<Uint8Array>({
        start(out) {
          out.enqueue(sse('message_start', { message: { ...MESSAGE, content: [] } }))
        },
        async pull(out) {
          if (paceMs > 0) await Bun.sleep(paceMs)
          if (sent++ < CHUNKS)
            return out.enqueue(
              sse('content_block_delta', { index: 0, delta: { type: 'text_delta', text: now() } }),
            )
          out.enqueue(sse('message_delta', { delta: { stop_reason: 'end_turn' }, usage: USAGE }))
          out.close()
        },
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    )
  },
})
console.log(server.url.origin)

export {}
