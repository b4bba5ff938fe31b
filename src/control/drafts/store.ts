import type { Selectable, SqlBool, Updateable } from 'kysely'
import { sql } from 'kysely'
import { storable } from '#kernel/db/portable'
import type { Db, Tables } from '#kernel/db/tables'
import { DEFAULT_LIMIT } from '#kernel/paging'
import type { DraftPage } from './schema'

export type DraftRow = Selectable<Tables['drafts']>
export type DraftSummaryRow = Omit<DraftRow, 'ir' | 'view'>

/**
 * What can be asked for without an error: Postgres refuses the very question for a text with U+0000, and the router
 * hands over nothing for a segment with broken percent-encoding.
 */
export const draftStore = (db: Db) => ({
  find: (id: string) => db.selectFrom('drafts').selectAll().where('id', '=', storable(id)).executeTakeFirst(),

  /** Most recently edited first. */
  page: ({ limit = DEFAULT_LIMIT, before, agent_id }: DraftPage): Promise<DraftSummaryRow[]> =>
    db
      .selectFrom('drafts')
      .select(['id', 'agent_id', 'owner_id', 'name', 'node_count', 'created_at', 'updated_at'])
      .$if(agent_id !== undefined, (query) => query.where('agent_id', '=', agent_id!))
      .$if(before !== undefined, (query) =>
        query.where(
          sql<SqlBool>`(updated_at, id) < (select updated_at, id from drafts where id = ${storable(before ?? '')})`,
        ),
      )
      .orderBy('updated_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),

  insert: (row: DraftRow) => db.insertInto('drafts').values(row).execute(),

  /** The row as it is now, or nothing when it is gone. */
  update: (id: string, changes: Updateable<Tables['drafts']>) =>
    db.updateTable('drafts').set(changes).where('id', '=', storable(id)).returningAll().executeTakeFirst(),

  /** False when there was none. */
  async remove(id: string): Promise<boolean> {
    const { numDeletedRows } = await db.deleteFrom('drafts').where('id', '=', storable(id)).executeTakeFirst()
    return numDeletedRows > 0n
  },
})
