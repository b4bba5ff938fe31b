import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '#kernel/log'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/**
 * Tries until it succeeds: what a step gave is in memory, and would have to be done again if it were given up because
 * the disk is full for a while. Once `signal` has fired, the next failure is thrown.
 */
export async function untilStored<T>(
  work: () => Promise<T>,
  { signal, log, runId }: { signal: AbortSignal; log: Logger; runId: string },
): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work()
    } catch (error) {
      if (signal.aborted) throw error
      log.warn({ err: error, run: runId }, 'a checkpoint could not be stored; it is tried again')
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }
}
