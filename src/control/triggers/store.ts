import {
  type ExpressionBuilder,
  type Insertable,
  type Selectable,
  type SqlBool,
  sql,
  type Updateable,
} from 'kysely'
import { storable } from '#kernel/db/portable'
import type { Db, Tables } from '#kernel/db/tables'
import { DEFAULT_LIMIT } from '#kernel/paging'
import type { TriggerPage } from './schema'

export type TriggerRow = Selectable<Tables['triggers']>

interface Stamp {
  firedAt: number
  missed: number
  /** Why there is no run. */
  lastError: string | null
  /** The instant that it waited for, and the one it waits for from now on. */
  next: { was: number; is: number | null }
}

export const triggerStore = (db: Db) => ({
  insert: (row: Insertable<Tables['triggers']>) => db.insertInto('triggers').values(row).execute(),

  find: (id: string) =>
    db.selectFrom('triggers').selectAll().where('id', '=', storable(id)).executeTakeFirst(),

  newestFirst: ({ limit = DEFAULT_LIMIT, before, agent_id }: TriggerPage) =>
    db
      .selectFrom('triggers')
      .selectAll()
      .$if(agent_id !== undefined, (query) => query.where('agent_id', '=', storable(agent_id ?? '')))
      .$if(before !== undefined, (query) =>
        query.where(
          sql<SqlBool>`(created_at, id) < (select created_at, id from triggers where id = ${storable(before)})`,
        ),
      )
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),

  /** The row as it is now, or nothing when it is gone. */
  update: (id: string, changes: Updateable<Tables['triggers']>) =>
    db.updateTable('triggers').set(changes).where('id', '=', storable(id)).returningAll().executeTakeFirst(),

  /** False when there was none. */
  async remove(id: string): Promise<boolean> {
    const { numDeletedRows } = await db
      .deleteFrom('triggers')
      .where('id', '=', storable(id))
      .executeTakeFirst()
    return numDeletedRows > 0n
  },

  /** Schedules whose next instant has come, the longest waiting first. */
  dueBy: (now: number) =>
    db
      .selectFrom('triggers')
      .selectAll()
      .where('next_fire_at', '<=', now)
      .orderBy('next_fire_at')
      .orderBy('id')
      .execute(),

  /** Schedules whose next instant is still to come. */
  waitingAt: (now: number) => db.selectFrom('triggers').selectAll().where('next_fire_at', '>', now).execute(),

  /** Unless somebody changed or fired it meanwhile. */
  waitFor: (id: string, next: Stamp['next']) =>
    db
      .updateTable('triggers')
      .set({ next_fire_at: next.is })
      .where('id', '=', id)
      .where('next_fire_at', '=', next.was)
      .execute(),

  /** True for the one who is first to claim the instant. */
  async claim(id: string, slot: number): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('trigger_fires')
      .values({ trigger_id: id, slot_utc: slot })
      .onConflict((conflict) => conflict.columns(['trigger_id', 'slot_utc']).doNothing())
      .executeTakeFirst()
    return (numInsertedOrUpdatedRows ?? 0n) > 0n
  },

  forgetClaims: (id: string, before: number) =>
    db.deleteFrom('trigger_fires').where('trigger_id', '=', id).where('slot_utc', '<', before).execute(),

  /** A fire is over; its next instant stays as it is where somebody changed the schedule meanwhile. */
  stamp: (id: string, stamp: Stamp) =>
    db
      .updateTable('triggers')
      .set((is) => ({
        ...fired(is, stamp),
        next_fire_at: is
          .case()
          .when('next_fire_at', '=', stamp.next.was)
          .then(stamp.next.is)
          .else(is.ref('next_fire_at'))
          .end(),
      }))
      .where('id', '=', id)
      .execute(),

  /** A fire begins. False when the schedule was fired, changed, switched off or deleted meanwhile. */
  async advance(id: string, stamp: Stamp): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('triggers')
      .set((is) => ({ ...fired(is, stamp), next_fire_at: stamp.next.is }))
      .where('id', '=', id)
      .where('next_fire_at', '=', stamp.next.was)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  },
})

const fired = (is: ExpressionBuilder<Tables, 'triggers'>, { firedAt, missed, lastError }: Stamp) => ({
  last_fired_at: firedAt,
  missed_fires: is('missed_fires', '+', missed),
  last_error: lastError,
})
