import type { Db } from '#kernel/db/tables'
import { newId } from '#kernel/ids'
import { hashToken, mintToken } from '#kernel/tokens'
import { authStore } from './store'

const HOUR_MS = 3_600_000

interface Deps {
  db: Db
  settings: { get(key: 'auth.session_ttl_hours'): number }
  now: () => number
}

export type SignInSessions = ReturnType<typeof signInSessions>

/**
 * Session tokens. Minting and revoking happen in the caller's transaction, together with the change of the account
 * that they follow from.
 */
export function signInSessions({ db, settings, now }: Deps) {
  return {
    /** The expiry is fixed here: a changed setting meets later sessions only. @returns the token, shown once */
    async mint(tx: Db, userId: string): Promise<string> {
      const token = mintToken('session')
      const createdAt = now()
      await authStore(tx).insertSession({
        id: newId('bare', createdAt),
        user_id: userId,
        token_hash: hashToken(token),
        created_at: createdAt,
        expires_at: createdAt + settings.get('auth.session_ttl_hours') * HOUR_MS,
      })
      return token
    },

    async revoke(id: string) {
      await authStore(db).deleteSession(id)
    },

    async revokeAllOf(tx: Db, userId: string, except: string | null = null) {
      await authStore(tx).deleteSessionsOf(userId, except)
    },

    /** Expired sessions are refused at once; this only takes their rows away. */
    async sweep() {
      await authStore(db).deleteExpiredSessions(now())
    },
  }
}
