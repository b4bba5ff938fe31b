import { sql } from 'kysely'
import type { Db } from '#kernel/db/tables'

/** Whose rows count: everybody's, or those of one account and the ownerless ones. */
export type Visible = 'all' | { userId: string }

export const healthStore = (db: Db) => ({
  async ping() {
    await sql`select 1`.execute(db)
  },

  /** Whether a durable run has had something to do since then, and nobody took it. */
  async isOverdue(since: number): Promise<boolean> {
    const row = await db
      .selectFrom('durable_runs')
      .select('run_id')
      .where('state', 'in', ['queued', 'waiting'])
      .where('wake_at', '<', since)
      .limit(1)
      .executeTakeFirst()
    return row !== undefined
  },

  async count(table: 'runs' | 'sessions', visible: Visible): Promise<number> {
    const all = db.selectFrom(table).select((on) => on.fn.countAll<number | string>().as('count'))
    const seen =
      visible === 'all'
        ? all
        : all.where((on) => on.or([on('user_id', 'is', null), on('user_id', '=', visible.userId)]))
    return Number((await seen.executeTakeFirstOrThrow()).count)
  },

  async countAgents(): Promise<number> {
    const agents = db.selectFrom('agents').select((on) => on.fn.countAll<number | string>().as('count'))
    return Number((await agents.executeTakeFirstOrThrow()).count)
  },
})
