import type { Db } from '#kernel/db/tables'
import type { Logger } from '#kernel/log'
import { every } from '#kernel/loop'
import { accounts } from '../users/accounts'
import { userService } from '../users/service'
import { apiKeyService } from './api-keys'
import { signInAttempts } from './attempts'
import { authenticator } from './authenticate'
import { passwordHasher } from './passwords'
import { authService } from './service'
import { signInSessions } from './sessions'

const SWEEP_MS = 15 * 60_000

interface Deps {
  db: Db
  settings: Parameters<typeof signInSessions>[0]['settings']
  log: Logger
  now: () => number
  /** Ends the sweep of expired sessions. */
  signal: AbortSignal
}

/** Everything about who calls and what they may do, put together. */
export function identity({ db, settings, log, now, signal }: Deps) {
  const authenticate = authenticator({ db, now })
  const passwords = passwordHasher()
  const sessions = signInSessions({ db, settings, now })
  every(SWEEP_MS, 'expired sessions', () => sessions.sweep(), log, signal)
  return {
    authenticate,
    auth: authService({
      db,
      authenticate,
      accounts: accounts({ db, now }),
      sessions,
      passwords,
      attempts: signInAttempts({ now }),
    }),
    apiKeys: apiKeyService({ db, now }),
    users: userService({ db, passwords, sessions, now }),
  }
}
