import type { Lease } from '#engines/lease'
import { orAbort } from '#engines/or-abort'
import { AppError } from '#kernel/errors'
import type { Answer } from './answer'
import type { Caller } from './caller'
import { brokeOff, type Upstream } from './refusal'

/** A connection breaks before the process that held it is known to be dead: how long its last words are waited for. */
const LAST_WORDS_MS = 2_000

/** The answer, with its lease: that ends with the last byte, when the caller leaves, or when the engine dies. */
export function leasedAnswer(response: Response, upstream: Upstream, lease: Lease, caller: Caller): Answer {
  const end = () => {
    caller.signal.removeEventListener('abort', end)
    lease.release()
  }
  // A caller that left before the first byte may never have anybody read or cancel the body.
  caller.signal.addEventListener('abort', end, { once: true })
  return { response, end, failure: (error) => brokenOff(upstream, error, lease, caller) }
}

/** Why an engine's answer broke off: what it said last where it died. */
export async function brokenOff(
  upstream: Upstream,
  error: unknown,
  { signal }: Lease,
  caller: Caller,
): Promise<AppError> {
  if (caller.signal.aborted) return left()
  // One of ours that no signal brought: it tells already what is wrong.
  if (error instanceof AppError && error !== signal.reason) return error
  const { promise: died, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, LAST_WORDS_MS)
  const dead = () => resolve()
  signal.addEventListener('abort', dead, { once: true })
  // Rejects when the caller leaves, and then nobody wants to know.
  if (!signal.aborted) await orAbort(died, caller.signal).catch(() => {})
  clearTimeout(timer)
  signal.removeEventListener('abort', dead)
  if (!signal.aborted || !(signal.reason instanceof AppError)) return brokeOff(upstream, error)
  return new AppError('upstream_error', signal.reason.message, { cause: error })
}

/** Nobody is there to read it. */
export const left = () => new AppError('upstream_error', 'The caller left.')
