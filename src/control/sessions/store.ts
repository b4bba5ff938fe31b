import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely'
import type { Db, Tables } from '#kernel/db/tables'
import { DEFAULT_LIMIT, type Page } from '#kernel/paging'

/** What a list shows of a session's first message. */
const PREVIEW_CHARS = 300

export type SessionRow = Selectable<Tables['sessions']>
export type MessageRow = Selectable<Tables['messages']>

export const sessionStore = (db: Db) => {
  const summaries = () =>
    db
      .selectFrom('sessions')
      .selectAll('sessions')
      .select((is) => [
        is
          .selectFrom('messages')
          .select((message) => message.fn.countAll<number>().as('count'))
          .whereRef('messages.session_id', '=', 'sessions.id')
          .as('message_count'),
        is
          .selectFrom('messages')
          .select(sql<string>`substr(content, 1, ${sql.lit(PREVIEW_CHARS)})`.as('start'))
          .whereRef('messages.session_id', '=', 'sessions.id')
          .where('role', '=', 'user')
          .orderBy('position')
          .limit(1)
          .as('preview'),
      ])

  return {
    find: (id: string) => db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst(),

    summary: (id: string) => summaries().where('id', '=', id).executeTakeFirst(),

    /** Newest activity first; `userId` narrows to that account's sessions and those without an owner. */
    page: ({ limit = DEFAULT_LIMIT, before }: Page, userId: string | null) =>
      summaries()
        .$if(userId !== null, (query) =>
          query.where((is) => is.or([is('user_id', '=', userId), is('user_id', 'is', null)])),
        )
        .$if(before !== undefined, (query) =>
          query.where(
            sql<SqlBool>`(updated_at, id) < (select updated_at, id from sessions where id = ${before ?? ''})`,
          ),
        )
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),

    /** Does nothing when the id is taken. */
    insertIfMissing: (row: Insertable<Tables['sessions']>) =>
      db
        .insertInto('sessions')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute(),

    setMetadata: (id: string, metadata: string | null) =>
      db.updateTable('sessions').set({ metadata }).where('id', '=', id).execute(),

    /** Also locks the session until the transaction ends, so that turns follow one another. False when it is gone. */
    async touch(id: string, now: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('sessions')
        .set({ updated_at: now })
        .where('id', '=', id)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    messages: (sessionId: string) =>
      db.selectFrom('messages').selectAll().where('session_id', '=', sessionId).orderBy('position').execute(),

    async nextPosition(sessionId: string): Promise<number> {
      const { last } = await db
        .selectFrom('messages')
        .select((is) => is.fn.max('position').as('last'))
        .where('session_id', '=', sessionId)
        .executeTakeFirstOrThrow()
      return last === null ? 0 : last + 1
    },

    insertMessages: (rows: MessageRow[]) => db.insertInto('messages').values(rows).execute(),

    removeFrom: (sessionId: string, position: number) =>
      db
        .deleteFrom('messages')
        .where('session_id', '=', sessionId)
        .where('position', '>=', position)
        .execute(),

    detachRuns: (id: string) =>
      db.updateTable('runs').set({ session_id: null }).where('session_id', '=', id).execute(),

    /** Its messages go with it. */
    remove: (id: string) => db.deleteFrom('sessions').where('id', '=', id).execute(),
  }
}
