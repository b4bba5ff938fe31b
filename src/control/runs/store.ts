import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely'
import type { Db, Tables } from '#kernel/db/tables'
import { DEFAULT_LIMIT } from '#kernel/paging'
import type { RunPage } from './schema'

export type RunRow = Selectable<Tables['runs']>

/** How a run ends. */
export type RunEnd = Pick<RunRow, 'status' | 'output' | 'error' | 'note_code'>

/** Postgres holds no U+0000 in a text, and models do send it. */
const storable = (text: string | null): string | null => text?.replaceAll('\0', '\uFFFD') ?? null

export const runStore = (db: Db) => ({
  find: (id: string) => db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst(),

  insert: (row: Insertable<Tables['runs']>) => db.insertInto('runs').values(row).execute(),

  /** Newest first; `userId` narrows to that account's runs and those without an owner. */
  page: ({ limit = DEFAULT_LIMIT, before, status }: RunPage, userId: string | null) =>
    db
      .selectFrom('runs')
      .selectAll()
      .$if(userId !== null, (query) =>
        query.where((is) => is.or([is('user_id', '=', userId), is('user_id', 'is', null)])),
      )
      .$if(status !== undefined, (query) => query.where('status', '=', status!))
      .$if(before !== undefined, (query) =>
        query.where(
          sql<SqlBool>`(created_at, id) < (select created_at, id from runs where id = ${before ?? ''})`,
        ),
      )
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),

  markStreaming: (ids: string[], now: number) =>
    db
      .updateTable('runs')
      .set({ status: 'streaming', updated_at: now })
      .where('id', 'in', ids)
      .where('status', '=', 'created')
      .execute(),

  /** False when the run has ended already. */
  async end(id: string, { status, output, error, note_code }: RunEnd, now: number): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('runs')
      .set({
        status,
        output: storable(output),
        error: storable(error),
        note_code,
        updated_at: now,
        completed_at: now,
      })
      .where('id', '=', id)
      .where('status', 'in', ['created', 'streaming'])
      .executeTakeFirst()
    return numUpdatedRows > 0n
  },

  /**
   * Fails the unfinished interactive runs that no living instance works on, and returns their ids.
   * `alive`: the instances that live; `null` when this process is the only one there can be.
   */
  async interrupt(alive: string[] | null, error: string, now: number): Promise<string[]> {
    const rows = await db
      .updateTable('runs')
      .set({ status: 'failed', error, updated_at: now, completed_at: now })
      .where('runtime', '=', 'inproc')
      .where('status', 'in', ['created', 'streaming'])
      .$if(alive !== null && alive.length > 0, (query) =>
        query.where((is) => is.or([is('instance_id', 'is', null), is('instance_id', 'not in', alive ?? [])])),
      )
      .returning('id')
      .execute()
    return rows.map(({ id }) => id)
  },
})

/** The control planes that share this database, by the heartbeat they leave in it. */
export const instanceStore = (db: Db) => ({
  beat: (id: string, startedAt: number, now: number) =>
    db
      .insertInto('instances')
      .values({ id, started_at: startedAt, seen_at: now })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ started_at: startedAt, seen_at: now }))
      .execute(),

  async seenSince(time: number): Promise<string[]> {
    const rows = await db.selectFrom('instances').select('id').where('seen_at', '>=', time).execute()
    return rows.map(({ id }) => id)
  },

  removeUnseenSince: (time: number) => db.deleteFrom('instances').where('seen_at', '<', time).execute(),

  remove: (id: string) => db.deleteFrom('instances').where('id', '=', id).execute(),
})
