import { exclusively } from '#kernel/db/portable'
import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import type { Authenticate, Principal } from '#kernel/http/plane'
import { type Accounts, asUsername, checkedUsername, present, type UserRow } from '../users/accounts'
import type { User } from '../users/schema'
import type { Attempts } from './attempts'
import type { Passwords } from './passwords'
import type { ChangePassword, Login, Setup, UpdateMe } from './schema'
import type { SignInSessions } from './sessions'

interface Deps {
  db: Db
  authenticate: Authenticate
  accounts: Accounts
  sessions: SignInSessions
  passwords: Passwords
  attempts: Attempts
}

interface SignedIn {
  token: string
  user: User
}

export type AuthService = ReturnType<typeof authService>

export function authService({ db, authenticate, accounts, sessions, passwords, attempts }: Deps) {
  /** The caller's own account. It may have been deleted since its bearer was checked. */
  async function own({ userId }: Principal): Promise<UserRow> {
    const account = await accounts.byId(userId)
    if (!account) throw new AppError('unauthorized', 'Sign in, or send a valid bearer token.')
    return account
  }

  return {
    async status(token: string | null) {
      const principal = token ? await authenticate(token) : null
      const account = principal?.credential === 'session' ? await accounts.byId(principal.userId) : undefined
      return {
        setup_required: !(await accounts.exist()),
        user: account ? present(account) : null,
        providers: [],
      }
    },

    /** @throws {AppError} `setup_already_complete`, `invalid_username`, `password_too_short` */
    async setup({ username, password, display_name }: Setup): Promise<SignedIn> {
      if (await accounts.exist()) throw setupComplete()
      checkedUsername(username)
      const passwordHash = await passwords.hash(password)
      return exclusively(db, 'setup', async (tx) => {
        // Another set-up may have been faster while this one hashed.
        if (await accounts.exist(tx)) throw setupComplete()
        const admin = { username, role: 'admin' as const, passwordHash, displayName: display_name }
        return signIn(tx, await accounts.insert(tx, admin))
      })
    },

    /**
     * An unknown handle, an account without a password and a wrong password take the same work and get the same
     * answer; only the right password learns that an account is disabled.
     * @throws {AppError} `invalid_credentials`, `account_disabled`, `too_many_attempts`
     */
    async login({ username, password }: Login, address: string): Promise<SignedIn> {
      const attempt = { account: asUsername(username), address }
      attempts.check(attempt)
      const account = await accounts.byUsername(username)
      const right = await passwords.verify(password, account?.password_hash ?? null, (compare) =>
        attempts.guard(attempt, compare),
      )
      if (!account || !right) throw invalidCredentials()
      if (account.disabled) throw new AppError('account_disabled', 'This account is disabled. Ask an admin.')
      return db.transaction().execute((tx) => signIn(tx, account))
    },

    /** Ends a session; a key ends by being revoked, so for one this does nothing. */
    async logout({ credential, credentialId }: Principal) {
      if (credential === 'session') await sessions.revoke(credentialId)
    },

    async me(principal: Principal) {
      const { role, credential } = principal
      return { user: present(await own(principal)), role, credential }
    },

    async updateMe(principal: Principal, changes: UpdateMe): Promise<User> {
      const account = await own(principal)
      return present((await accounts.updateProfile(account, changes)) ?? account)
    },

    /**
     * Signs out every other session of the account.
     * @throws {AppError} `forbidden`, `invalid_credentials`, `password_too_short`, `too_many_attempts`
     */
    async changePassword(
      principal: Principal,
      { current_password, new_password }: ChangePassword,
      address: string,
    ) {
      if (principal.credential === 'api_key') {
        throw new AppError('forbidden', 'An API key cannot change the password. Sign in to do so.')
      }
      const account = await own(principal)
      if (account.password_hash !== null) {
        const attempt = { account: account.username, address }
        const right = await passwords.verify(current_password ?? '', account.password_hash, (compare) =>
          attempts.guard(attempt, compare),
        )
        if (!right) throw new AppError('invalid_credentials', 'The current password is wrong.')
      }
      const passwordHash = await passwords.hash(new_password)
      return db.transaction().execute(async (tx) => {
        const changed = await accounts.replacePassword(tx, account, passwordHash)
        if (!changed) throw new AppError('invalid_credentials', 'The password was changed meanwhile.')
        await sessions.revokeAllOf(tx, account.id, principal.credentialId)
        return present(changed)
      })
    },
  }

  /** One transaction with the mark on the account: whoever disables it or resets its password finds the session. */
  async function signIn(tx: Db, account: UserRow): Promise<SignedIn> {
    const signedIn = await accounts.signedIn(tx, account)
    if (!signedIn) throw invalidCredentials()
    return { token: await sessions.mint(tx, account.id), user: present(signedIn) }
  }
}

const invalidCredentials = () => new AppError('invalid_credentials', 'Wrong username or password.')

const setupComplete = () =>
  new AppError('setup_already_complete', 'This Tycho has its first account already. Sign in instead.')
