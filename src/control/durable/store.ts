import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely'
import { lockingRows, storable } from '#kernel/db/portable'
import type { Db, Tables } from '#kernel/db/tables'
import { type RunEndOf, runStore } from '../runs/store'
import type { Claim } from './claim'
import type { Kept } from './payloads'

type DurableRow = Selectable<Tables['durable_runs']>
export type GateRow = Selectable<Tables['run_gates']>
export type StepRow = Insertable<Tables['run_steps']>
/** Whose a run is and when it has something to do, without what it began with. */
export type Standing = Pick<DurableRow, (typeof STANDING)[number]>

/** When a run has something to do now, also where the clock is set back, or another machine's is behind. */
export const AT_ONCE = 0

/** An owner's claim to a run: it holds until somebody else claims the run, or it ends. */
export interface Fence {
  runId: string
  epoch: number
}

export const durableStore = (db: Db) => ({
  insert: (rows: Insertable<Tables['durable_runs']>[]) =>
    db.insertInto('durable_runs').values(rows).execute(),

  find: (runId: string) =>
    db.selectFrom('durable_runs').selectAll().where('run_id', '=', runId).executeTakeFirst(),

  /** How these runs stand; nobody can change that until the transaction ends. */
  locked: (runIds: readonly string[]): Promise<Standing[]> =>
    db
      .selectFrom('durable_runs')
      .select(STANDING)
      .where('run_id', 'in', runIds)
      // In one order, so that two who lock the same rows do not wait for each other.
      .orderBy('run_id')
      .modifyEnd(lockingRows(db))
      .execute(),

  /** Makes these the owners of their runs, whoever was it before. */
  claim: (claims: readonly Pick<Claim, 'runId' | 'executor' | 'lease'>[]) =>
    sql`
      update durable_runs
      set state = 'running', epoch = epoch + 1, executor = claimed.column2, lease = claimed.column3,
        enqueued_at = null
      from (values ${sql.join(claims.map(({ runId, executor, lease }) => sql`(${runId}, ${executor}, ${lease})`))}) as claimed
      where run_id = claimed.column1
    `.execute(db),

  /** What runs began with. */
  startsOf: (runIds: readonly string[]) =>
    db
      .selectFrom('durable_runs')
      .innerJoin('runs', 'runs.id', 'run_id')
      .select(['run_id', 'start', 'start_ref', 'graph_id', 'session_id', 'content_hash'])
      .where('run_id', 'in', runIds)
      .execute(),

  epochsOf: (runIds: string[]) =>
    db.selectFrom('durable_runs').select(['run_id', 'epoch']).where('run_id', 'in', runIds).execute(),

  stepsOf: (runIds: readonly string[]) =>
    db
      .selectFrom('run_steps')
      .select(['run_id', 'key', 'output', 'output_ref'])
      .where('run_id', 'in', runIds)
      .execute(),

  gatesOf: (runIds: readonly string[]) =>
    db.selectFrom('run_gates').selectAll().where('run_id', 'in', runIds).execute(),

  gateAt: (runId: string, place: string) =>
    db
      .selectFrom('run_gates')
      .selectAll()
      .where('run_id', '=', runId)
      .where('place', '=', storable(place))
      .executeTakeFirst(),

  /** Of these runs, those where a gate was answered. */
  async answered(runIds: string[]): Promise<string[]> {
    const rows = await db
      .selectFrom('run_gates')
      .select('run_id')
      .distinct()
      .where('run_id', 'in', runIds)
      .where((is) => is.or([is('outcome', 'is not', null), is('outcome_ref', 'is not', null)]))
      .execute()
    return rows.map(({ run_id }) => run_id)
  },

  async openGate(gate: GateRow) {
    const { place, prompt, input_schema, input } = gate
    await db
      .insertInto('run_gates')
      .values({
        ...gate,
        place: storable(place),
        prompt: storable(prompt),
        input_schema: storable(input_schema),
        input: storable(input),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  },

  /** The first thing that comes of a gate counts; false for what comes later. */
  async settleGate(runId: string, key: string, { json, ref }: Kept): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('run_gates')
      .set({ outcome: json, outcome_ref: ref })
      .where('run_id', '=', runId)
      .where('key', '=', key)
      .where('outcome', 'is', null)
      .where('outcome_ref', 'is', null)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  },

  awaits: (runId: string, place: string, now: number) =>
    db
      .updateTable('runs')
      .set({ status: 'waiting', awaiting_node: storable(place), updated_at: now })
      .where('id', '=', runId)
      .where('status', 'in', ['created', 'streaming'])
      .execute(),

  /** False when the run does not wait there. */
  async goesOn(runId: string, place: string, now: number): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('runs')
      .set({ status: 'streaming', awaiting_node: null, updated_at: now })
      .where('id', '=', runId)
      .where('status', '=', 'waiting')
      .where('awaiting_node', '=', storable(place))
      .executeTakeFirst()
    return numUpdatedRows > 0n
  },

  /** There is something to do; false when there is no such run. */
  async makeDue(runId: string, now: number): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('durable_runs')
      .set({
        wake_at: AT_ONCE,
        enqueued_at: sql`case when state = 'running' then enqueued_at else ${now} end`,
      })
      .where('run_id', '=', runId)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  },

  /** Puts a run away until `wakeAt`; if more gates have an outcome than were seen, until now. */
  async suspend(runId: string, { wakeAt, seen, now }: { wakeAt: number | null; seen: number; now: number }) {
    const outcomes = db
      .selectFrom('run_gates')
      .select((is) => is.fn.countAll<number>().as('count'))
      .where('run_id', '=', runId)
      .where((is) => is.or([is('outcome', 'is not', null), is('outcome_ref', 'is not', null)]))
    const isBehind = sql<boolean>`(${outcomes}) > ${seen}`
    const { wake_at } = await db
      .updateTable('durable_runs')
      .set({
        state: 'waiting',
        executor: null,
        wake_at: sql`case when ${isBehind} then cast(${now} as bigint) else cast(${wakeAt} as bigint) end`,
        enqueued_at: sql`case when ${isBehind} then cast(${now} as bigint) else null end`,
      })
      .where('run_id', '=', runId)
      .returning('wake_at')
      .executeTakeFirstOrThrow()
    return wake_at
  },

  /** Hands a run back: whoever comes first may have it. */
  release: (runId: string, now: number) =>
    db
      .updateTable('durable_runs')
      .set({ state: 'queued', executor: null, wake_at: AT_ONCE, enqueued_at: now })
      .where('run_id', '=', runId)
      .execute(),

  /** The same for every run, where no other process can be at work. */
  async releaseAll(now: number): Promise<number> {
    const { numUpdatedRows } = await db
      .updateTable('durable_runs')
      .set({ state: 'queued', executor: null, wake_at: AT_ONCE, enqueued_at: now })
      .where('state', '=', 'running')
      .executeTakeFirst()
    return Number(numUpdatedRows)
  },

  /** Runs that have something to do before then, the longest overdue first; the page behind `after`. */
  due: (until: number, limit: number, after?: { run_id: string; wake_at: number | null }) =>
    db
      .selectFrom('durable_runs')
      .select(['run_id', 'wake_at'])
      .where('state', 'in', ['queued', 'waiting'])
      .where('wake_at', '<=', until)
      .$if(after !== undefined, (query) =>
        query.where(sql<SqlBool>`(wake_at, run_id) > (${after?.wake_at}, ${after?.run_id})`),
      )
      .orderBy('wake_at')
      .orderBy('run_id')
      .limit(limit)
      .execute(),

  /** The ids of those that had not ended before. */
  end: (ends: readonly RunEndOf[], now: number): Promise<string[]> =>
    runStore(db).endAll(ends, now, ['created', 'streaming', 'waiting']),

  /** With everything they have done. */
  remove: (runIds: readonly string[]) =>
    db.deleteFrom('durable_runs').where('run_id', 'in', runIds).execute(),
})

const STANDING = [
  'run_id',
  'state',
  'epoch',
  'executor',
  'lease',
  'wake_at',
  'enqueued_at',
  'interp_version',
] as const
