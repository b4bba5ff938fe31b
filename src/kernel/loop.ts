import type { Logger } from './log'

/** Background loops wait up to this share longer, so that many processes do not act in step. */
const JITTER = 0.1

/**
 * Does `work` every `ms` milliseconds until `signal` fires, one round at a time: a slow round delays the next one
 * instead of overlapping it. A failed round is logged and the loop goes on, because the next may well succeed.
 */
export function every(
  ms: number,
  name: string,
  work: () => Promise<void> | void,
  log: Logger,
  signal: AbortSignal,
) {
  let timer: ReturnType<typeof setTimeout>
  const wait = () => {
    if (signal.aborted) return
    timer = setTimeout(round, ms * (1 + Math.random() * JITTER))
    timer.unref()
  }
  async function round() {
    try {
      await work()
    } catch (error) {
      log.warn({ err: error, loop: name }, 'background work failed; it is tried again')
    }
    wait()
  }
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  wait()
}
