import { setTimeout as wait } from 'node:timers/promises'
import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import type { DurableRuns, DurableState } from '../durable/durable-runs'
import type { GraphRunService } from './graphs'
import type { LiveRuns } from './live-runs'
import { runStore } from './store'

interface Deps {
  db: Db
  graphRuns: Pick<GraphRunService, 'ofAgent'>
  live: Pick<LiveRuns, 'find'>
}

/**
 * Runs of this process that nobody follows, as triggers start them without durable mode: they go on to their end
 * whoever has left, and die with the process.
 */
export function unattendedRuns({ db, graphRuns, live }: Deps): Pick<DurableRuns, 'start' | 'settled'> {
  async function stored(runId: string): Promise<DurableState> {
    const row = await runStore(db).find(runId)
    if (row?.status === 'completed') return { status: 'completed', output: row.output ?? '' }
    if (row?.status === 'streaming') return { status: 'streaming' }
    return { status: 'failed', error: row?.error ?? '' }
  }

  async function outcomeOf(runId: string): Promise<DurableState> {
    const outcome = await live.find(runId)?.outcome
    if (!outcome) return stored(runId)
    return outcome.status === 'completed'
      ? { status: 'completed', output: outcome.output }
      : { status: 'failed', error: outcome.error.message }
  }

  return {
    async start(caller, { agentId, pin, input, triggerId }) {
      const never = new AbortController().signal
      try {
        const { id } = await graphRuns.ofAgent(caller, agentId, { ...pin, input }, never, triggerId)
        return { runId: id }
      } catch (error) {
        // It is a run, if one that failed early: what came of it is told like any other end.
        const runId = error instanceof AppError ? error.beside.runId : undefined
        if (typeof runId === 'string') return { runId }
        throw error
      }
    },

    async settled(runId, withinMs) {
      const enough = new AbortController()
      const patience = wait(withinMs, { status: 'streaming' } as const, { signal: enough.signal, ref: false })
      try {
        return await Promise.race([outcomeOf(runId), patience])
      } finally {
        enough.abort()
        patience.catch(() => {})
      }
    },
  }
}
