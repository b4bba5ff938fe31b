/** Silence after which a comment keeps proxies and clients from giving up (specification, part 8). */
export const KEEPALIVE_MS = 15_000

export interface Frame {
  event?: string
  id?: string
  data: unknown
}

/** One event as it goes over the wire; `data` that is text already is sent as it is. */
export function encodeFrame({ event, id, data }: Frame): string {
  const head = (id === undefined ? '' : `id: ${id}\n`) + (event === undefined ? '' : `event: ${event}\n`)
  return `${head}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

export const DONE = 'data: [DONE]\n\n'

/**
 * The one event-stream writer. `source` yields encoded frames, several at a time where several are ready; it is asked
 * for the next ones only when the client has taken the last, and its `signal` fires when the client leaves.
 */
export function eventStream(
  source: (signal: AbortSignal) => AsyncIterable<string>,
  {
    keepaliveMs = KEEPALIVE_MS,
    headers = {},
  }: { keepaliveMs?: number; headers?: Record<string, string> } = {},
): Response {
  const gone = new AbortController()
  const encoder = new TextEncoder()
  let chunks: AsyncIterator<string>
  let timer: ReturnType<typeof setInterval>
  const body = new ReadableStream<Uint8Array>({
    start(out) {
      chunks = source(gone.signal)[Symbol.asyncIterator]()
      timer = setInterval(() => {
        if (!gone.signal.aborted) out.enqueue(encoder.encode(': keepalive\n\n'))
      }, keepaliveMs)
    },
    async pull(out) {
      try {
        const { done, value } = await chunks.next()
        if (gone.signal.aborted) return
        if (done) {
          clearInterval(timer)
          out.close()
        } else {
          timer.refresh()
          out.enqueue(encoder.encode(value))
        }
      } catch (error) {
        clearInterval(timer)
        out.error(error)
      }
    },
    async cancel() {
      clearInterval(timer)
      gone.abort()
      await chunks.return?.()
    },
  })
  return new Response(body, {
    headers: { ...EVENT_STREAM_HEADERS, ...headers },
  })
}
