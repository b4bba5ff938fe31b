import type { Lease } from '#engines/lease'
import { orAbort } from '#engines/or-abort'
import { AppError } from '#kernel/errors'
import type { Caller } from './caller'
import { reasonOf, type Upstream } from './refusal'

/** A connection breaks before the process that held it is known to be dead: how long its last words are waited for. */
const LAST_WORDS_MS = 2_000

/** The answer, with its lease: that ends with the last byte, when the caller leaves, or when the engine dies. */
export function held(answer: Response, upstream: Upstream, lease: Lease, caller: Caller): Response {
  const end = () => {
    caller.signal.removeEventListener('abort', end)
    lease.release()
  }
  if (!answer.body) {
    end()
    return answer
  }
  // A caller that left before the first byte may never have anybody read or cancel the body.
  caller.signal.addEventListener('abort', end, { once: true })
  const reader = answer.body.getReader()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(out) {
        try {
          const { done, value } = await reader.read()
          if (!done) return out.enqueue(value)
          end()
          out.close()
        } catch (error) {
          const failure = await brokenOff(upstream, error, lease, caller)
          end()
          out.error(failure)
        }
      },
      cancel(reason) {
        end()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, answer)
}

/** Why an engine's answer broke off: what it said last where it died. */
export async function brokenOff(
  { name }: Upstream,
  error: unknown,
  { signal }: Lease,
  caller: Caller,
): Promise<AppError> {
  if (caller.signal.aborted) return left()
  const { promise: died, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, LAST_WORDS_MS)
  const dead = () => resolve()
  signal.addEventListener('abort', dead, { once: true })
  // Rejects when the caller leaves, and then nobody wants to know.
  if (!signal.aborted) await orAbort(died, caller.signal).catch(() => {})
  clearTimeout(timer)
  signal.removeEventListener('abort', dead)
  const why = signal.aborted && signal.reason instanceof AppError ? signal.reason.message : null
  return new AppError('upstream_error', why ?? `${name} broke off its answer: ${reasonOf(error)}.`, {
    cause: error,
  })
}

/** Nobody is there to read it. */
export const left = () => new AppError('upstream_error', 'The caller left.')
