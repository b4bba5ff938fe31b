import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db, Tables } from '#kernel/db/tables'

export type UserRow = Selectable<Tables['users']>

export const userStore = (db: Db) => ({
  all: () => db.selectFrom('users').selectAll().orderBy('created_at').orderBy('id').execute(),

  byId: (id: string) => db.selectFrom('users').where('id', '=', id).selectAll().executeTakeFirst(),

  byUsername: (username: string) =>
    db.selectFrom('users').where('username', '=', username).selectAll().executeTakeFirst(),

  anyone: () => db.selectFrom('users').select('id').limit(1).executeTakeFirst(),

  activeAdminBeside: (id: string) =>
    db
      .selectFrom('users')
      .where('role', '=', 'admin')
      .where('disabled', '=', 0)
      .where('id', '!=', id)
      .select('id')
      .limit(1)
      .executeTakeFirst(),

  insert: (row: Insertable<Tables['users']>) =>
    db.insertInto('users').values(row).returningAll().executeTakeFirstOrThrow(),

  update: (id: string, changes: Updateable<Tables['users']>) =>
    db.updateTable('users').set(changes).where('id', '=', id).returningAll().executeTakeFirst(),

  /** The same for an account that still is as it was read: enabled, and with that password. */
  updateIfUnchanged: (id: string, passwordHash: string | null, changes: Updateable<Tables['users']>) =>
    db
      .updateTable('users')
      .set(changes)
      .where('id', '=', id)
      .where('disabled', '=', 0)
      .where('password_hash', passwordHash === null ? 'is' : '=', passwordHash)
      .returningAll()
      .executeTakeFirst(),

  remove: (id: string) => db.deleteFrom('users').where('id', '=', id).execute(),
})
