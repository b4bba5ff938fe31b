import type { AgentDocument } from '#graph/ir'
import type { Db } from '#kernel/db/tables'

/** Hashes of documents that are known to be stored; a hash is short, and most runs are of few graphs. */
const KNOWN_HASHES = 1_000

export type GraphStore = ReturnType<typeof graphStore>

/** The documents that runs were made of, by their content hash; they outlive the agents they came from. */
export function graphStore({ db, now }: { db: Db; now: () => number }) {
  const known = new Set<string>()

  return {
    async keep(contentHash: string, document: AgentDocument) {
      if (known.has(contentHash)) return
      const { view, ...content } = document
      await db
        .insertInto('run_graphs')
        .values({ content_hash: contentHash, ir: JSON.stringify(content), created_at: now() })
        .onConflict((conflict) => conflict.column('content_hash').doNothing())
        .execute()
      known.add(contentHash)
      if (known.size > KNOWN_HASHES) known.delete(known.values().next().value!)
    },

    async find(contentHash: string): Promise<AgentDocument | null> {
      const row = await db
        .selectFrom('run_graphs')
        .select('ir')
        .where('content_hash', '=', contentHash)
        .executeTakeFirst()
      return row ? { ...JSON.parse(row.ir), view: null } : null
    },
  }
}
