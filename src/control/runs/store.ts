import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely'
import { storable } from '#kernel/db/portable'
import type { Db, Tables } from '#kernel/db/tables'

export type RunRow = Selectable<Tables['runs']>

/** How a run ends. */
export type RunEnd = Pick<RunRow, 'status' | 'output' | 'error' | 'note_code'>
export type RunEndOf = RunEnd & { id: string }

/** What narrows a list of runs. `userId`: only that account's runs and those without an owner. */
export interface Which {
  userId: string | null
  statuses?: readonly RunRow['status'][]
  agentId?: string
  version?: string
  triggerId?: string
  sinceMs?: number
  untilMs?: number
  text?: string
}

/** A piece of the list: after the run `before`, down to the run `until`, that one included. */
interface Slice {
  limit: number
  before: string | null
  until: string | null
}

export const runStore = (db: Db) => ({
  find: (id: string) => db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst(),

  insert: (rows: Insertable<Tables['runs']>[]) => db.insertInto('runs').values(rows).execute(),

  /** Newest first. */
  page: (which: Which, { limit, before, until }: Slice) =>
    narrowed(db, which)
      .selectAll()
      .$if(before !== null, (query) => query.where(cursor('<', before)))
      .$if(until !== null, (query) => query.where(cursor('>=', until)))
      .$if(which.text !== undefined, (query) => query.where(holding(which.text ?? '')))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),

  /** The run that is `distance` after `before` in the order of `page`, whatever its text. */
  async idAfter(which: Which, before: string | null, distance: number): Promise<string | null> {
    const row = await narrowed(db, which)
      .select('id')
      .$if(before !== null, (query) => query.where(cursor('<', before)))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .offset(distance - 1)
      .limit(1)
      .executeTakeFirst()
    return row?.id ?? null
  },

  markStreaming: (ids: string[], now: number) =>
    db
      .updateTable('runs')
      .set({ status: 'streaming', updated_at: now })
      .where('id', 'in', ids)
      .where('status', '=', 'created')
      .execute(),

  /** False when the run has ended already. */
  async end(id: string, end: RunEnd, now: number): Promise<boolean> {
    const ended = await endAll(db, [{ id, ...end }], now, ['created', 'streaming'])
    return ended.length > 0
  },

  /** The ids of those that had not ended before; what is in none of the statuses `of` stays as it is. */
  endAll: (ends: readonly RunEndOf[], now: number, of: RunRow['status'][]) => endAll(db, ends, now, of),

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

async function endAll(
  db: Db,
  ends: readonly RunEndOf[],
  now: number,
  of: RunRow['status'][],
): Promise<string[]> {
  const values = ends.map(
    ({ id, status, output, error, note_code }) =>
      sql`(${id}, ${status}, ${storable(output)}, ${storable(error)}, ${note_code})`,
  )
  const { rows } = await sql<{ id: string }>`
    update runs
    set status = ended.column2, output = ended.column3, error = ended.column4, note_code = ended.column5,
    awaiting_node = null, updated_at = cast(${now} as bigint), completed_at = cast(${now} as bigint)
    from (values ${sql.join(values)}) as ended
    where id = ended.column1 and runs.status in (${sql.join(of)})
    returning id
  `.execute(db)
  return rows.map(({ id }) => id)
}

function narrowed(db: Db, which: Which) {
  const { userId, statuses, agentId, version, triggerId, sinceMs, untilMs } = which
  return (
    db
      .selectFrom('runs')
      .$if(userId !== null, (query) =>
        query.where((is) => is.or([is('user_id', '=', userId), is('user_id', 'is', null)])),
      )
      .$if(statuses !== undefined, (query) => query.where('status', 'in', [...(statuses ?? [])]))
      // Said as a constant, so that the index of what is not completed counts.
      .$if(statuses !== undefined && !statuses.includes('completed'), (query) =>
        query.where(sql<SqlBool>`status <> 'completed'`),
      )
      .$if(agentId !== undefined, (query) => query.where('graph_id', '=', agentId ?? ''))
      .$if(version !== undefined, (query) => query.where('graph_version', '=', version ?? ''))
      .$if(triggerId !== undefined, (query) => query.where('trigger_id', '=', triggerId ?? ''))
      .$if(sinceMs !== undefined, (query) => query.where('created_at', '>=', sinceMs ?? 0))
      .$if(untilMs !== undefined, (query) => query.where('created_at', '<', untilMs ?? 0))
  )
}

const cursor = (relation: '<' | '>=', id: string | null) =>
  sql<SqlBool>`(created_at, id) ${sql.raw(relation)} (select created_at, id from runs where id = ${id ?? ''})`

function holding(text: string) {
  const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  return sql<SqlBool>`lower(id || ' ' || model || ' ' || coalesce(graph_id, '') || ' ' || coalesce(output, '') || ' ' || coalesce(error, '')) like ${pattern} escape '\\'`
}

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
