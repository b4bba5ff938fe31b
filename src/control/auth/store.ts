import type { Insertable, Selectable } from 'kysely'
import type { Db, Tables } from '#kernel/db/tables'

export type ApiKeyRow = Selectable<Tables['api_keys']>

export const authStore = (db: Db) => ({
  insertSession: (row: Insertable<Tables['auth_sessions']>) =>
    db.insertInto('auth_sessions').values(row).execute(),

  /** The live session behind a token and its account's role; a disabled account has none. */
  liveSession: (tokenHash: string, now: number) =>
    db
      .selectFrom('auth_sessions')
      .innerJoin('users', 'users.id', 'auth_sessions.user_id')
      .where('token_hash', '=', tokenHash)
      .where('expires_at', '>', now)
      .where('users.disabled', '=', 0)
      .select(['auth_sessions.id', 'auth_sessions.user_id', 'users.role'])
      .executeTakeFirst(),

  deleteSession: (id: string) => db.deleteFrom('auth_sessions').where('id', '=', id).execute(),

  deleteSessionsOf: (userId: string, except: string | null) =>
    db
      .deleteFrom('auth_sessions')
      .where('user_id', '=', userId)
      .$if(except !== null, (query) => query.where('id', '!=', except!))
      .execute(),

  deleteExpiredSessions: (now: number) =>
    db.deleteFrom('auth_sessions').where('expires_at', '<=', now).execute(),

  insertKey: (row: Insertable<Tables['api_keys']>) =>
    db.insertInto('api_keys').values(row).returningAll().executeTakeFirstOrThrow(),

  /** The live key behind a token, its own role and its owner's; a disabled owner has none. */
  liveKey: (tokenHash: string) =>
    db
      .selectFrom('api_keys')
      .innerJoin('users', 'users.id', 'api_keys.user_id')
      .where('token_hash', '=', tokenHash)
      .where('revoked_at', 'is', null)
      .where('users.disabled', '=', 0)
      .select([
        'api_keys.id',
        'api_keys.user_id',
        'api_keys.role',
        'api_keys.last_used_at',
        'users.role as owner_role',
      ])
      .executeTakeFirst(),

  /** The condition lets one of several requests at once do it. */
  touchKey: (id: string, before: number, now: number) =>
    db
      .updateTable('api_keys')
      .set({ last_used_at: now })
      .where('id', '=', id)
      .where(({ or, eb }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', before)]))
      .execute(),

  keysOf: (userId: string) =>
    db
      .selectFrom('api_keys')
      .where('user_id', '=', userId)
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .execute(),

  keyOf: (userId: string, id: string) =>
    db
      .selectFrom('api_keys')
      .where('user_id', '=', userId)
      .where('id', '=', id)
      .selectAll()
      .executeTakeFirst(),

  revokeKey: (id: string, now: number) =>
    db
      .updateTable('api_keys')
      .set({ revoked_at: now })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .execute(),
})
