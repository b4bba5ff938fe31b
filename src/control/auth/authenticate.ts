import { askedOnce } from '#kernel/asked-once'
import type { Db } from '#kernel/db/tables'
import { type Authenticate, narrower, type Principal } from '#kernel/http/plane'
import { hashToken, TOKEN_PREFIX } from '#kernel/tokens'
import { authStore } from './store'

/** `last_used_at` of a key is for people who tidy up: to the minute is enough, and spares a write per request. */
const TOUCH_MS = 60_000

/** Looks up who presents a token, at every request: what was revoked, disabled or demoted counts at once. */
export function authenticator({ db, now }: { db: Db; now: () => number }): Authenticate {
  const store = authStore(db)
  const sessionBy = askedOnce(
    (hash: string) => hash,
    (hash) => store.liveSession(hash, now()),
  )
  const keyBy = askedOnce((hash: string) => hash, store.liveKey)

  async function bySession(token: string): Promise<Principal | null> {
    const session = await sessionBy(hashToken(token))
    return (
      (session && {
        userId: session.user_id,
        role: session.role,
        credential: 'session',
        credentialId: session.id,
      }) ??
      null
    )
  }

  async function byKey(token: string): Promise<Principal | null> {
    const key = await keyBy(hashToken(token))
    if (!key) return null
    const at = now()
    if ((key.last_used_at ?? 0) <= at - TOUCH_MS) await store.touchKey(key.id, at - TOUCH_MS, at)
    return {
      userId: key.user_id,
      role: narrower(key.role, key.owner_role),
      credential: 'api_key',
      credentialId: key.id,
    }
  }

  return async (token) => {
    if (token.startsWith(TOKEN_PREFIX.session)) return bySession(token)
    if (token.startsWith(TOKEN_PREFIX.api_key)) return byKey(token)
    return null
  }
}
