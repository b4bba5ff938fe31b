import type { Db } from '#kernel/db/tables'
import { runStore } from '../runs/store'
import type { DurableState } from './durable-runs'

/** How late the end of a run in another process is seen. */
const POLL_MS = 250

/** Those who wait until a run has ended, or waits for a person, whichever process does it. */
export function settling({ db }: { db: Db }) {
  const waiters = new Map<string, Set<() => void>>()

  async function stateOf(runId: string): Promise<DurableState> {
    const row = await runStore(db).find(runId)
    switch (row?.status) {
      case 'completed':
        return { status: 'completed', output: row.output ?? '' }
      case 'waiting':
        return { status: 'waiting', awaitingNode: row.awaiting_node }
      case 'created':
      case 'streaming':
        return { status: row.status }
      case 'failed':
      case undefined:
        return { status: 'failed', error: row?.error ?? 'its record is gone' }
    }
  }

  /** Until something happens to the run here, or `ms` are over. */
  function news(runId: string, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    const all = waiters.get(runId) ?? new Set()
    waiters.set(runId, all.add(resolve))
    return promise.finally(() => {
      clearTimeout(timer)
      all.delete(resolve)
      if (all.size === 0) waiters.delete(runId)
    })
  }

  return {
    /** Something happened to the run. */
    tell(runId: string) {
      for (const resolve of waiters.get(runId) ?? []) resolve()
    },

    async settled(runId: string, withinMs: number): Promise<DurableState> {
      const deadline = performance.now() + withinMs
      for (;;) {
        const state = await stateOf(runId)
        const leftMs = deadline - performance.now()
        if ((state.status !== 'created' && state.status !== 'streaming') || leftMs <= 0) return state
        await news(runId, Math.min(POLL_MS, leftMs))
      }
    },
  }
}
