import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '#kernel/log'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

interface Trying {
  signal: AbortSignal
  log: Logger
  runId: string | undefined
  /** For the log. */
  what?: string
  /** It would fail the same way again. */
  isFinal?: (error: unknown) => boolean
}

/**
 * Tries until it succeeds: what a run has done is in memory, and would have to be done again if it were given up because
 * the disk is full, or the database away, for a while. Once `signal` has fired, the next failure is thrown.
 */
export async function untilDone<T>(
  work: () => Promise<T>,
  { signal, log, runId, what = 'what a run needs is out of reach', isFinal = () => false }: Trying,
): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work()
    } catch (error) {
      if (signal.aborted || isFinal(error)) throw error
      log.warn({ err: error, run: runId }, `${what}; it is tried again`)
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }
}
