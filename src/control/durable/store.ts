import { type Insertable, type Selectable, sql } from 'kysely'
import { lockingRows, storable } from '#kernel/db/portable'
import type { Db, Tables } from '#kernel/db/tables'
import { type RunEnd, runStore } from '../runs/store'
import type { Kept } from './payloads'

export type DurableRow = Selectable<Tables['durable_runs']>
export type GateRow = Selectable<Tables['run_gates']>
export type StepRow = Insertable<Tables['run_steps']>

/** When a run has something to do now, also where the clock is set back, or another machine's is behind. */
export const AT_ONCE = 0

/** An owner's claim to a run: it holds until somebody else claims the run, or it ends. */
export interface Fence {
  runId: string
  epoch: number
}

export const durableStore = (db: Db) => ({
  insert: (row: Insertable<Tables['durable_runs']>) => db.insertInto('durable_runs').values(row).execute(),

  find: (runId: string) =>
    db.selectFrom('durable_runs').selectAll().where('run_id', '=', runId).executeTakeFirst(),

  /** Makes `executor` the owner of a run that has something to do, or whose owner is gone; gives what it found. */
  async claim(
    before: DurableRow,
    { executor, lease, takeover, now }: { executor: string; lease: string; takeover: boolean; now: number },
  ): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('durable_runs')
      .set({ state: 'running', epoch: before.epoch + 1, executor, lease, enqueued_at: null })
      .where('run_id', '=', before.run_id)
      .where('epoch', '=', before.epoch)
      .where((is) => {
        const isDue = is.and([is('state', 'in', ['queued', 'waiting']), is('wake_at', '<=', now)])
        // By another lease somebody may well be alive and at work.
        const isOrphan = is.and([is('state', '=', 'running'), is('lease', '=', lease)])
        return takeover ? is.or([isDue, isOrphan]) : isDue
      })
      .executeTakeFirst()
    return numUpdatedRows > 0n
  },

  /** Those of the claims that still hold; nobody can take such a run over until the transaction ends. */
  async held(fences: readonly Fence[]): Promise<Set<string>> {
    const rows = await db
      .selectFrom('durable_runs')
      .select(['run_id', 'epoch'])
      .where(
        'run_id',
        'in',
        fences.map(({ runId }) => runId),
      )
      .where('state', '=', 'running')
      .orderBy('run_id')
      .modifyEnd(lockingRows(db))
      .execute()
    return new Set(rows.map(({ run_id, epoch }) => `${run_id}:${epoch}`))
  },

  epochsOf: (runIds: string[]) =>
    db.selectFrom('durable_runs').select(['run_id', 'epoch']).where('run_id', 'in', runIds).execute(),

  stepsOf: (runId: string) =>
    db.selectFrom('run_steps').select(['key', 'output', 'output_ref']).where('run_id', '=', runId).execute(),

  gatesOf: (runId: string) => db.selectFrom('run_gates').selectAll().where('run_id', '=', runId).execute(),

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

  begins: (runId: string, now: number) =>
    db
      .updateTable('runs')
      .set({ status: 'streaming', updated_at: now })
      .where('id', '=', runId)
      .where('status', '=', 'created')
      .execute(),

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

  /** Runs that have something to do before then, the longest overdue first. */
  due: (until: number, limit: number) =>
    db
      .selectFrom('durable_runs')
      .select(['run_id', 'wake_at'])
      .where('state', 'in', ['queued', 'waiting'])
      .where('wake_at', '<=', until)
      .orderBy('wake_at')
      .limit(limit)
      .execute(),

  /** False when the run has ended already. */
  end: (runId: string, end: RunEnd, now: number): Promise<boolean> =>
    runStore(db).end(runId, end, now, ['created', 'streaming', 'waiting']),

  /** With everything it has done; true when it was there. */
  async remove(runId: string): Promise<boolean> {
    const { numDeletedRows } = await db
      .deleteFrom('durable_runs')
      .where('run_id', '=', runId)
      .executeTakeFirst()
    return numDeletedRows > 0n
  },
})
