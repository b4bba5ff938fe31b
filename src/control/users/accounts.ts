import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import type { Role } from '#kernel/http/plane'
import { isoTime, isoTimeOrNull } from '#kernel/http/shapes'
import { newId } from '#kernel/ids'
import type { Theme, User } from './schema'
import { type UserRow, userStore } from './store'

const USERNAME = /^[a-z0-9][a-z0-9._-]{1,63}$/

export type Accounts = ReturnType<typeof accounts>
export type { UserRow }

/** What signing in needs of accounts. Methods with a `tx` are one step of a caller's transaction. */
export function accounts({ db, now }: { db: Db; now: () => number }) {
  return {
    /** Whether any account exists; without one, only set-up is open. */
    exist: async (tx: Db = db): Promise<boolean> => (await userStore(tx).anyone()) !== undefined,

    byId: (id: string) => userStore(db).byId(id),

    byUsername: (typed: string) => userStore(db).byUsername(asUsername(typed)),

    insert: (tx: Db, account: NewAccount) => userStore(tx).insert(newRow(account, now())),

    /** `undefined` when the account was disabled, deleted or given another password since `seen` was read. */
    signedIn: (tx: Db, seen: UserRow) =>
      userStore(tx).updateIfUnchanged(seen.id, seen.password_hash, { last_login_at: now() }),

    /** `undefined` as for `signedIn`. */
    replacePassword: (tx: Db, seen: UserRow, passwordHash: string) =>
      userStore(tx).updateIfUnchanged(seen.id, seen.password_hash, {
        password_hash: passwordHash,
        updated_at: now(),
      }),

    async updateProfile(account: UserRow, { display_name, theme }: { display_name?: string; theme?: Theme }) {
      if (display_name === undefined && theme === undefined) return account
      return userStore(db).update(account.id, {
        ...(display_name === undefined ? {} : { display_name: displayName(display_name, account.username) }),
        ...(theme === undefined ? {} : { theme }),
        updated_at: now(),
      })
    },
  }
}

export interface NewAccount {
  username: string
  role: Role
  passwordHash: string | null
  displayName?: string | null
  email?: string | null
}

export function newRow({ username, role, passwordHash, ...rest }: NewAccount, now: number): UserRow {
  return {
    id: newId('user', now),
    username: checkedUsername(username),
    display_name: displayName(rest.displayName, asUsername(username)),
    email: email(rest.email),
    role,
    disabled: 0,
    password_hash: passwordHash,
    theme: 'system',
    avatar_url: null,
    created_at: now,
    updated_at: now,
    last_login_at: null,
  }
}

/** Handles are one case, however they are typed. */
export const asUsername = (typed: string): string => typed.trim().toLowerCase()

/** @throws {AppError} `invalid_username` */
export function checkedUsername(typed: string): string {
  const username = asUsername(typed)
  if (USERNAME.test(username)) return username
  throw new AppError(
    'invalid_username',
    'A username has 2 to 64 letters, digits, dots, dashes and underscores, and starts with a letter or digit.',
  )
}

/** An account is always called something: its handle, where nothing else was given. */
export const displayName = (given: string | null | undefined, username: string): string =>
  given?.trim() || username

export const email = (given: string | null | undefined): string | null => given?.trim() || null

/** An account as it goes out; the columns named here are all that leave. */
export const present = (row: UserRow): User => ({
  id: row.id,
  username: row.username,
  display_name: row.display_name,
  email: row.email,
  role: row.role,
  disabled: row.disabled === 1,
  has_password: row.password_hash !== null,
  avatar_url: row.avatar_url,
  // Only `updateProfile` writes it, from the same list.
  theme: row.theme as Theme,
  created_at: isoTime(row.created_at),
  updated_at: isoTime(row.updated_at),
  last_login_at: isoTimeOrNull(row.last_login_at),
})
