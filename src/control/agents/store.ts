import type { Insertable, Selectable, SqlBool } from 'kysely'
import { sql } from 'kysely'
import { storable } from '#kernel/db/portable'
import type { Db, Tables } from '#kernel/db/tables'
import { DEFAULT_LIMIT, type Page } from '#kernel/paging'

export type VersionRow = Selectable<Tables['agent_versions']>
export type PolicyRow = Selectable<Tables['io_policies']>

/**
 * What can be asked for without an error: Postgres refuses the very question for a text with U+0000, and the router
 * hands over nothing for a segment with broken percent-encoding.
 */
export const agentStore = (db: Db) => {
  /** Agents with their newest version: whoever is here has one. */
  const summaries = () =>
    db
      .selectFrom('agents')
      .innerJoin('agent_versions as newest', (join) =>
        join.onRef('newest.agent_id', '=', 'agents.id').on((is) =>
          is(
            'newest.seq',
            '=',
            is
              .selectFrom('agent_versions')
              .select((version) => version.fn.max('seq').as('last'))
              .whereRef('agent_versions.agent_id', '=', 'agents.id'),
          ),
        ),
      )
      .select((is) => [
        'agents.id',
        is.fn.coalesce('agents.name', 'newest.name').as('name'),
        'agents.created_at',
        'agents.updated_at',
        'newest.version as latest_version',
        'newest.content_hash as latest_content_hash',
        is
          .selectFrom('agent_versions')
          .select((version) => version.fn.countAll<number>().as('count'))
          .whereRef('agent_versions.agent_id', '=', 'agents.id')
          .as('version_count'),
      ])

  const versionsOf = (id: string) => db.selectFrom('agent_versions').where('agent_id', '=', storable(id))

  return {
    summary: (id: string) => summaries().where('agents.id', '=', storable(id)).executeTakeFirst(),

    newestFirst: ({ limit = DEFAULT_LIMIT, before }: Page) =>
      summaries()
        .$if(before !== undefined, (query) =>
          query.where(
            sql<SqlBool>`(agents.created_at, agents.id) < (select created_at, id from agents where id = ${storable(before ?? '')})`,
          ),
        )
        .orderBy('agents.created_at', 'desc')
        .orderBy('agents.id', 'desc')
        .limit(limit)
        .execute(),

    /** False when the id is taken: of two that come at once, the second waits for the first. */
    async insert(row: Insertable<Tables['agents']>): Promise<boolean> {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('agents')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirst()
      return (numInsertedOrUpdatedRows ?? 0n) > 0n
    },

    /** Keeps others from adding a version until the transaction ends. False when there is no such agent. */
    async lock(id: string): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('agents')
        .set((is) => ({ updated_at: is.ref('updated_at') }))
        .where('id', '=', storable(id))
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    touch: (id: string, now: number) =>
      db.updateTable('agents').set({ updated_at: now }).where('id', '=', id).execute(),

    /** Its versions and its policy go with it. False when there is no such agent. */
    async remove(id: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('agents')
        .where('id', '=', storable(id))
        .executeTakeFirst()
      return numDeletedRows > 0n
    },

    /** Newest first, without the documents. */
    versions: (id: string) =>
      versionsOf(id)
        .select(['version', 'content_hash', 'seq', 'created_at'])
        .orderBy('seq', 'desc')
        .execute(),

    version: (id: string, version: string) =>
      versionsOf(id).selectAll().where('version', '=', storable(version)).executeTakeFirst(),

    versionByHash: (id: string, hash: string) =>
      versionsOf(id).selectAll().where('content_hash', '=', storable(hash)).executeTakeFirst(),

    newestVersion: (id: string) =>
      versionsOf(id).selectAll().orderBy('seq', 'desc').limit(1).executeTakeFirst(),

    async nextSeq(id: string): Promise<number> {
      const { last } = await versionsOf(id)
        .select((version) => version.fn.max('seq').as('last'))
        .executeTakeFirstOrThrow()
      return (last ?? 0) + 1
    },

    insertVersion: (row: VersionRow) => db.insertInto('agent_versions').values(row).execute(),

    policy: (id: string) =>
      db.selectFrom('io_policies').selectAll().where('agent_id', '=', storable(id)).executeTakeFirst(),

    putPolicy: ({ agent_id, ...policy }: PolicyRow) =>
      db
        .insertInto('io_policies')
        .values({ agent_id, ...policy })
        .onConflict((conflict) => conflict.column('agent_id').doUpdateSet(policy))
        .execute(),
  }
}
