import { AppError } from '#kernel/errors'
import { unlessAborted } from './abort'
import type { Clock } from './ports'
import { quote } from './problem'
import { TemplateError } from './template'

/** How often a node's effect is tried, and how long one try may take. Both are the author's. */
export interface Patience {
  retry?: { attempts: number; backoffMs: number } | null
  timeoutSeconds?: number | null
}

/** What the node says, and where it says nothing what its run does. */
export const patienceOf = (own: Patience, usual: Patience = {}): Patience => ({
  retry: own.retry ?? usual.retry,
  timeoutSeconds: own.timeoutSeconds ?? usual.timeoutSeconds,
})

/**
 * Does the work again when it fails, as often as its node says. What would fail the same way again is not repeated.
 * @throws the last failure
 */
export async function attempt<T>(
  { retry, timeoutSeconds }: Patience,
  node: string,
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await (timeoutSeconds == null
        ? unlessAborted(work(signal), signal)
        : within(timeoutSeconds, node, clock, signal, work))
    } catch (error) {
      signal.throwIfAborted()
      if (!retry || tried >= retry.attempts || isLasting(error)) throw error
      await clock.sleep(retry.backoffMs * 2 ** (tried - 1), signal)
    }
  }
}

async function within<T>(
  seconds: number,
  node: string,
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController()
  const over = new AbortController()
  const onAbort = () => own.abort(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  const timer = clock.sleep(seconds * 1_000, over.signal).then(
    () =>
      own.abort(
        new AppError(
          'upstream_timeout',
          `Node ${quote(node)}: no answer within ${seconds} s (timeoutSeconds).`,
        ),
      ),
    () => {},
  )
  try {
    return await unlessAborted(work(own.signal), own.signal)
  } finally {
    signal.removeEventListener('abort', onAbort)
    over.abort()
    void timer
  }
}

const TOO_EARLY_OR_MANY = [408, 425, 429]

/** A refusal of the request itself, such as an unknown model, or a request that cannot even be made. */
const isLasting = (error: unknown) =>
  error instanceof TemplateError ||
  (error instanceof AppError &&
    error.status >= 400 &&
    error.status < 500 &&
    !TOO_EARLY_OR_MANY.includes(error.status))
