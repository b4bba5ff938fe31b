import type { Db } from '#kernel/db/tables'

export const sampleStore = (db: Db) => ({
  /** Which versions there are of these agents. */
  versionsOf: (agentIds: string[]) =>
    db
      .selectFrom('agent_versions')
      .select(['agent_id', 'version'])
      .where('agent_id', 'in', agentIds)
      .execute(),
})
