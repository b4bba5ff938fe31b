import type { Db } from '#kernel/db/tables'

/** Removed in one go; the rest comes with the next. */
const AT_ONCE = 1_000

/** Which artifacts hold checkpoints, and of which run. */
export const checkpointFiles = (db: Db) => ({
  note: (ref: string, runId: string, now: number) =>
    db.insertInto('checkpoint_files').values({ ref, run_id: runId, created_at: now }).execute(),

  forget: (ref: string) => db.deleteFrom('checkpoint_files').where('ref', '=', ref).execute(),

  of: (runIds: readonly string[]) =>
    db.selectFrom('checkpoint_files').select(['run_id', 'ref']).where('run_id', 'in', runIds).execute(),

  /** Those from before `time` whose run has ended, or was never stored. */
  orphans: async (time: number): Promise<string[]> => {
    const rows = await db
      .selectFrom('checkpoint_files')
      .leftJoin('durable_runs', 'durable_runs.run_id', 'checkpoint_files.run_id')
      .select('ref')
      .where('durable_runs.run_id', 'is', null)
      .where('checkpoint_files.created_at', '<', time)
      .limit(AT_ONCE)
      .execute()
    return rows.map(({ ref }) => ref)
  },
})
