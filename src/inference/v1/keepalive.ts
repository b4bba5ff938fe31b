import { AppError } from '#kernel/errors'
import { inferenceEnvelope } from '#kernel/http/plane'
import type { Logger } from '#kernel/log'
import { within } from './within'

/** Proxies and clients give up on a connection that is silent for longer (interface, 11a). */
export const KEEPALIVE_MS = 15_000

interface Options {
  /** Fires when the caller leaves. */
  signal: AbortSignal
  keepaliveMs: number
  log: Logger
}

/**
 * The JSON answer of slow work. Up to `keepaliveMs` it is an ordinary one, failures with their own status. From then on
 * a 200 is committed and a space sent every `keepaliveMs`, which JSON allows in front of a value; a failure after that
 * is the error envelope in the body.
 */
export async function keptAlive(
  work: (signal: AbortSignal) => Promise<Response>,
  { signal, keepaliveMs, log }: Options,
): Promise<Response> {
  const gone = new AbortController()
  const result = work(AbortSignal.any([signal, gone.signal]))
  const early = await within(result, keepaliveMs)
  if (early) return early

  let spaces: ReturnType<typeof setInterval>
  const body = new ReadableStream<Uint8Array>({
    start(out) {
      const space = () => out.enqueue(new Uint8Array([0x20]))
      space()
      spaces = setInterval(space, keepaliveMs)
      void result
        .then((response) => response.bytes())
        .catch((error: unknown) => new TextEncoder().encode(JSON.stringify(failureBody(error, log))))
        .then((bytes) => {
          clearInterval(spaces)
          if (gone.signal.aborted) return
          out.enqueue(bytes)
          out.close()
        })
    },
    cancel() {
      clearInterval(spaces)
      gone.abort()
    },
  })
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}

/** What is said of a failure once the status is gone. */
export function failureBody(error: unknown, log: Logger) {
  if (error instanceof AppError) return inferenceEnvelope(error)
  log.error({ err: error }, 'unexpected failure after an answer had begun')
  return inferenceEnvelope(new AppError('internal_error', 'Something went wrong here; the log says what.'))
}
