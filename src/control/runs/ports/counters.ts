import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { CounterPort } from '#graph/ports'
import { storable } from '#kernel/db/portable'
import type { Db } from '#kernel/db/tables'

/** A key is whatever an author's expression gives; a longer one is stored by its hash. */
const MAX_KEY_CHARS = 300

interface Deps {
  db: Db
  /** Writes the spans that still wait, which a quota must not miss. */
  flushSpans: () => Promise<void>
  now: () => number
}

/** What rate limits and quotas count, in the database that all instances share. */
export function counters({ db, flushSpans, now }: Deps): CounterPort {
  const store = counterStore(db)
  return {
    async hit({ key, window, windowSeconds }) {
      const expiresAt = (window + 1) * windowSeconds * 1000
      const hits = await store.hit(bounded(key), window, expiresAt)
      // Who opens a window clears away those that are over, so that the table keeps to what is in use.
      if (hits === 1) await store.removeExpired(now())
      return hits
    },

    async usedTokens({ agentId, since }) {
      await flushSpans()
      return store.usedTokens(agentId, since)
    },
  }
}

const bounded = (key: string): string =>
  key.length <= MAX_KEY_CHARS ? storable(key) : `sha256:${createHash('sha256').update(key).digest('hex')}`

const counterStore = (db: Db) => ({
  /** One statement, so that no two at once are told the same number. */
  async hit(key: string, window: number, expiresAt: number): Promise<number> {
    const { hits } = await db
      .insertInto('rate_windows')
      .values({ key, window_id: window, hits: 1, expires_at: expiresAt })
      .onConflict((conflict) =>
        conflict.columns(['key', 'window_id']).doUpdateSet({ hits: sql`rate_windows.hits + 1` }),
      )
      .returning('hits')
      .executeTakeFirstOrThrow()
    return hits
  },

  removeExpired: (now: number) => db.deleteFrom('rate_windows').where('expires_at', '<=', now).execute(),

  async usedTokens(agentId: string, since: number): Promise<number> {
    const { used } = await db
      .selectFrom('spans')
      .select(sql<number>`cast(coalesce(sum(total_tokens), 0) as bigint)`.as('used'))
      .where('agent_id', '=', agentId)
      .where('created_at', '>=', since)
      .where('total_tokens', 'is not', null)
      .executeTakeFirstOrThrow()
    return used
  },
})
