import type { Selectable } from 'kysely'
import { type SqlBool, sql } from 'kysely'
import { storable } from '#kernel/db/portable'
import type { Db, Tables } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import type { Principal } from '#kernel/http/plane'
import { isoTime } from '#kernel/http/shapes'
import type { GatewaySession, SessionQuery, TimelineQuery } from './schema'
import { scopeOf } from './service'
import { reportStore, type Scope } from './store'
import { timelineOf } from './timeline'

const DEFAULT_LIMIT = 50
const DEFAULT_REQUESTS = 500

export type GatewaySessionService = ReturnType<typeof gatewaySessionService>
type Row = Selectable<Tables['gateway_sessions']>

/** Sessions of client tools: their totals for good, their requests as long as they are kept. */
export function gatewaySessionService({ db }: { db: Db }) {
  async function present(rows: Row[]): Promise<GatewaySession[]> {
    const names = await reportStore(db).userNames(rows.map(({ developer_id }) => developer_id))
    const kept = await keptSessions(rows.map(({ id }) => id))
    return rows.map((row) => ({
      id: row.id,
      developer: row.developer_id,
      developer_name: names.get(row.developer_id) ?? null,
      gateway: row.gateway_id,
      project: row.project,
      client: row.client,
      model: row.model,
      started_at: isoTime(row.started_at),
      last_at: isoTime(row.last_at),
      requests: row.requests,
      turns: row.turns,
      errors: row.errors,
      retries: row.retries,
      aborts: row.aborts,
      tools: row.tools,
      agent_requests: row.agents,
      input: row.input,
      cache_read: row.cache_read,
      cache_write: row.cache_write,
      output: row.output,
      cost: row.cost,
      unpriced: row.unpriced,
      archived: !kept.has(row.id),
    }))
  }

  /** Those of which there still are requests in detail. */
  async function keptSessions(ids: string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set()
    const rows = await db
      .selectFrom('gateway_records')
      .where('session_id', 'in', ids)
      .where('archive_part', 'is', null)
      .select('session_id')
      .distinct()
      .execute()
    return new Set(rows.map(({ session_id }) => session_id!))
  }

  /** @throws {AppError} `gateway_session_not_found`, also for another's */
  async function found(scope: Scope, id: string): Promise<Row> {
    const row = await db
      .selectFrom('gateway_sessions')
      .where('id', '=', storable(id))
      .$if(scope !== null, (query) => query.where('developer_id', '=', scope!))
      .selectAll()
      .orderBy('last_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (!row) throw new AppError('gateway_session_not_found', 'There is no such session.')
    return row
  }

  return {
    async list(principal: Principal, { developer, project, limit = DEFAULT_LIMIT, before }: SessionQuery) {
      const scope = scopeOf(principal)
      const rows = await db
        .selectFrom('gateway_sessions')
        .$if(scope !== null, (query) => query.where('developer_id', '=', scope!))
        .$if(developer !== undefined, (query) => query.where('developer_id', '=', storable(developer!)))
        .$if(project !== undefined, (query) => query.where('project', '=', storable(project!)))
        .$if(before !== undefined, (query) =>
          query.where(
            sql<SqlBool>`(last_at, id) < (select last_at, id from gateway_sessions where id = ${storable(before ?? '')} order by last_at desc limit 1)`,
          ),
        )
        .selectAll()
        .orderBy('last_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return { sessions: await present(rows) }
    },

    /** @throws {AppError} `gateway_session_not_found` */
    async timeline(principal: Principal, id: string, { after, limit = DEFAULT_REQUESTS }: TimelineQuery) {
      const row = await found(scopeOf(principal), id)
      const records = await db
        .selectFrom('gateway_records')
        .where('session_id', '=', row.id)
        .where('developer_id', '=', row.developer_id)
        .where('archive_part', 'is', null)
        .$if(after !== undefined, (query) =>
          query.where(
            sql<SqlBool>`(at, id) > (select at, id from gateway_records where session_id = ${row.id} and id = ${storable(after ?? '')} limit 1)`,
          ),
        )
        .select(['id', 'line', 'cost', 'model', 'at'])
        .orderBy('at')
        .orderBy('id')
        .limit(limit + 1)
        .execute()
      const shown = records.slice(0, limit)
      return {
        session: (await present([row]))[0]!,
        agents: timelineOf(shown),
        next: records.length > limit ? shown.at(-1)!.id : null,
      }
    },

    /** One request as it was recorded, with its content where that was kept. @throws {AppError} as above */
    async request(principal: Principal, id: string, requestId: string): Promise<Record<string, unknown>> {
      const row = await found(scopeOf(principal), id)
      const record = await db
        .selectFrom('gateway_records')
        .where('session_id', '=', row.id)
        .where('developer_id', '=', row.developer_id)
        .where('id', '=', storable(requestId))
        .select('line')
        .executeTakeFirst()
      if (!record)
        throw new AppError('gateway_session_not_found', 'There is no such request in this session.')
      return JSON.parse(record.line)
    },
  }
}
