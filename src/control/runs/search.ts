import { DEFAULT_LIMIT } from '#kernel/paging'
import { present } from './present'
import type { RunList, RunQuery } from './schema'
import type { runStore, Which } from './store'

/** A search for text reads whole outputs: so many runs at a time, or a rare word would stop the process for seconds. */
const SEARCHED_AT_ONCE = 5_000

/** A page of the runs that `userId` may see (null: all), newest first. */
export async function pageOfRuns(
  store: Pick<ReturnType<typeof runStore>, 'page' | 'idAfter'>,
  userId: string | null,
  query: RunQuery,
): Promise<typeof RunList.static> {
  const { limit = DEFAULT_LIMIT, before = null } = query
  const which = whichOf(userId, query)
  const until = which.text === undefined ? null : await store.idAfter(which, before, SEARCHED_AT_ONCE)
  const rows = await store.page(which, { limit, before, until })
  return { runs: rows.map(present), next_before: rows.length === limit ? rows.at(-1)!.id : until }
}

const whichOf = (userId: string | null, query: RunQuery): Which => ({
  userId,
  // The schema lets nothing through but statuses.
  statuses: query.status?.split(',') as Which['statuses'],
  agentId: query.agent_id,
  version: query.version,
  triggerId: query.trigger_id,
  sinceMs: query.since === undefined ? undefined : Date.parse(query.since),
  untilMs: query.until === undefined ? undefined : Date.parse(query.until),
  text: query.text?.trim() || undefined,
})
