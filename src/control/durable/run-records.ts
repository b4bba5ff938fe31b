import type { Db } from '#kernel/db/tables'
import { together } from '#kernel/together'
import { traceStore } from '../traces/store'
import { durableStore, type Standing } from './store'

/** Runs whose records are read at once. */
const MAX_RUNS = 16

/** All that is on record of runs that somebody goes on with: a query per table for those of the same moment. */
export function runRecords({ db }: { db: Db }) {
  return together(MAX_RUNS, async (runs: Standing[]) => {
    const store = durableStore(db)
    // One that nobody had yet has done nothing.
    const begun = runs.filter(({ epoch }) => epoch > 0).map(({ run_id }) => run_id)
    const [rows, steps, gates, spans] = await Promise.all([
      store.startsOf(runs.map(({ run_id }) => run_id)),
      begun.length > 0 ? store.stepsOf(begun) : [],
      begun.length > 0 ? store.gatesOf(begun) : [],
      begun.length > 0 ? traceStore(db).closedSpans(begun) : [],
    ])
    const stepsBy = Map.groupBy(steps, ({ run_id }) => run_id)
    const gatesBy = Map.groupBy(gates, ({ run_id }) => run_id)
    const spansBy = Map.groupBy(spans, ({ run_id }) => run_id)
    return runs.map(({ run_id }) => ({
      row: rows.find((row) => row.run_id === run_id),
      steps: stepsBy.get(run_id) ?? [],
      gates: gatesBy.get(run_id) ?? [],
      /** Spans that earlier owners have closed. */
      closedSpans: new Set(spansBy.get(run_id)?.map(({ id }) => id)),
    }))
  })
}

export type RunRecord = Awaited<ReturnType<ReturnType<typeof runRecords>>>
