import type { Db } from '#kernel/db/tables'
import { type SpanRecord, traceStore } from './store'

/** Runs per statement: both databases bound its parameters. */
const RUNS_PER_STATEMENT = 500
const NS_PER_MS = 1_000_000n

/**
 * Closes the spans of runs whose process died, inside the transaction that fails those runs.
 * @returns those spans, as they are closed now
 */
export async function closeAbandoned(
  tx: Db,
  runIds: string[],
  error: string,
  now: number,
): Promise<SpanRecord[]> {
  const closed: SpanRecord[] = []
  for (let at = 0; at < runIds.length; at += RUNS_PER_STATEMENT) {
    const some = runIds.slice(at, at + RUNS_PER_STATEMENT)
    closed.push(...(await traceStore(tx).closeOpen(some, error, BigInt(now) * NS_PER_MS)))
  }
  return closed
}
