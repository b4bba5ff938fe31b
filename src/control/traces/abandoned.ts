import type { Db } from '#kernel/db/tables'
import { traceStore } from './store'

/** Runs per statement: both databases bound its parameters. */
const RUNS_PER_STATEMENT = 500
const NS_PER_MS = 1_000_000n

/** Closes the spans of runs whose process died, inside the transaction that fails those runs. */
export async function closeAbandoned(tx: Db, runIds: string[], error: string, now: number) {
  for (let at = 0; at < runIds.length; at += RUNS_PER_STATEMENT) {
    await traceStore(tx).closeOpen(runIds.slice(at, at + RUNS_PER_STATEMENT), error, BigInt(now) * NS_PER_MS)
  }
}
