import { exclusively, isUniqueViolation } from '#kernel/db/portable'
import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import type { Passwords } from '../auth/passwords'
import type { SignInSessions } from '../auth/sessions'
import { checkedUsername, displayName, email, newRow, present, type UserRow } from './accounts'
import type { CreateUser, UpdateUser, User } from './schema'
import { userStore } from './store'

interface Deps {
  db: Db
  passwords: Passwords
  sessions: SignInSessions
  now: () => number
}

export type UserService = ReturnType<typeof userService>

/** Accounts as an admin manages them. */
export function userService({ db, passwords, sessions, now }: Deps) {
  /** Changes that may take an admin away queue up: two at once must not each count on the other to stay. */
  const oneAtATime = <T>(work: (tx: Db) => Promise<T>) => exclusively(db, 'accounts', work)

  return {
    async list() {
      return { users: (await userStore(db).all()).map(present) }
    },

    /** @throws {AppError} `invalid_username`, `password_too_short`, `username_taken` */
    async create({ username, role = 'viewer', password, display_name, email }: CreateUser): Promise<User> {
      checkedUsername(username)
      const passwordHash = password == null ? null : await passwords.hash(password)
      const account = { username, role, passwordHash, displayName: display_name, email }
      const row = newRow(account, now())
      try {
        return present(await userStore(db).insert(row))
      } catch (error) {
        if (!isUniqueViolation(error)) throw error
        throw new AppError('username_taken', `There is an account named ${row.username} already.`)
      }
    },

    /** @throws {AppError} `user_not_found`, `last_admin` */
    async update(id: string, changes: UpdateUser): Promise<User> {
      return oneAtATime(async (tx) => {
        const user = await found(tx, id)
        const next = applied(user, changes)
        if (Object.keys(next).length === 0) return present(user)
        const after = { ...user, ...next }
        if (!isActiveAdmin(after)) await keepAnAdmin(tx, user)
        // The row first: a sign-in at the same time waits for it, and then sees the change.
        await userStore(tx).update(id, { ...next, updated_at: now() })
        if (after.disabled === 1) await sessions.revokeAllOf(tx, id)
        return present(await found(tx, id))
      })
    },

    /** @throws {AppError} `user_not_found`, `password_too_short` */
    async resetPassword(id: string, password: string): Promise<User> {
      await found(db, id)
      const password_hash = await passwords.hash(password)
      return db.transaction().execute(async (tx) => {
        await userStore(tx).update(id, { password_hash, updated_at: now() })
        await sessions.revokeAllOf(tx, id)
        return present(await found(tx, id))
      })
    },

    /** Sessions and keys go with it; runs and chats keep its id. @throws {AppError} `user_not_found`, `last_admin` */
    async remove(id: string) {
      await oneAtATime(async (tx) => {
        await keepAnAdmin(tx, await found(tx, id))
        await userStore(tx).remove(id)
      })
    },
  }
}

async function found(db: Db, id: string): Promise<UserRow> {
  const user = await userStore(db).byId(id)
  if (!user) throw new AppError('user_not_found', 'There is no such account.')
  return user
}

const isActiveAdmin = ({ role, disabled }: UserRow): boolean => role === 'admin' && disabled === 0

/** `user` is about to stop being an active admin. */
async function keepAnAdmin(tx: Db, user: UserRow) {
  if (!isActiveAdmin(user) || (await userStore(tx).activeAdminBeside(user.id))) return
  throw new AppError('last_admin', 'This is the last active admin. Make somebody else admin first.')
}

/** The columns that `changes` sets. */
const applied = (user: UserRow, changes: UpdateUser): Partial<UserRow> => ({
  ...(changes.display_name === undefined
    ? {}
    : { display_name: displayName(changes.display_name, user.username) }),
  ...(changes.email === undefined ? {} : { email: email(changes.email) }),
  ...(changes.role === undefined ? {} : { role: changes.role }),
  ...(changes.disabled === undefined ? {} : { disabled: changes.disabled ? 1 : 0 }),
})
