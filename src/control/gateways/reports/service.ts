import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import type { Principal } from '#kernel/http/plane'
import { isoTime } from '#kernel/http/shapes'
import { percentile } from '../buckets'
import { rangeOf } from './range'
import { GROUPS, type Group, type Report, type ReportQuery, type ReportRow, type ToolQuery } from './schema'
import { columnOf, type Filters, reportStore, type Scope } from './store'

const DEFAULT_LIMIT = 200
const MAX_GROUPS = 3

export type ReportService = ReturnType<typeof reportService>
type Sums = Record<string, string | number | null>
type Figures = Report['totals']

/** An admin sees all, everybody else what they did themselves. */
export const scopeOf = ({ role, userId }: Principal): Scope => (role === 'admin' ? null : userId)

/** Reports from the totals of each day; no request is ever read again for one. */
export function reportService({ db, now }: { db: Db; now: () => number }) {
  const store = reportStore(db)

  return {
    /** @throws {AppError} `invalid_report` */
    async report(principal: Principal, query: ReportQuery): Promise<Report> {
      const range = rangeOf(query, now())
      const groups = groupsOf(query.group_by ?? 'day')
      const scope = scopeOf(principal)
      const { developer, project, model, client, gateway, limit = DEFAULT_LIMIT } = query
      const filters: Filters = { developer, project, model, client, gateway }
      const [sums, sessions, [counted], gaps] = await Promise.all([
        store.sums(groups, range, filters, scope),
        store.sessions(groups, range, filters, scope),
        store.sessions([], range, filters, scope),
        scope === null ? store.gaps(range, gateway) : [],
      ])
      const nameOf = (row: Sums) => JSON.stringify(groups.map((group) => row[columnOf(group)]))
      const sessionsOf = new Map(sessions.map((row) => [nameOf(row), Number(row.sessions)]))
      const ordered = sums.sort(byDayThenSize(groups)).slice(0, limit)
      const rows = ordered.map((row) => ({
        ...namesOf(row, groups),
        ...figuresOf(row, sessionsOf.get(nameOf(row)) ?? 0),
      }))
      return {
        ...range,
        group_by: [...groups],
        rows: await withNames(rows, groups),
        more: sums.length > limit,
        totals: figuresOf(added(sums), Number(counted?.sessions ?? 0)),
        gaps: gaps.map(({ gateway_id, from_at, to_at, dropped }) => ({
          gateway: gateway_id,
          from: isoTime(from_at),
          to: isoTime(to_at),
          dropped,
        })),
      }
    },

    /** @throws {AppError} `invalid_report` */
    async tools(principal: Principal, query: ToolQuery) {
      const range = rangeOf(query, now())
      const { developer, project, client, gateway, limit = DEFAULT_LIMIT } = query
      const rows = await store.tools(
        range,
        { developer, project, client, gateway },
        scopeOf(principal),
        limit,
      )
      return {
        ...range,
        tools: rows.map((row) => {
          const calls = Number(row.calls)
          const errors = Number(row.errors)
          return {
            tool: row.tool,
            calls,
            errors,
            error_share: calls > 0 ? Math.min(1, errors / calls) : null,
            result_bytes: Number(row.result_bytes),
          }
        }),
      }
    },
  }

  async function withNames(rows: ReportRow[], groups: readonly Group[]): Promise<ReportRow[]> {
    const people = groups.includes('developer')
      ? await store.userNames(rows.map(({ developer }) => developer ?? ''))
      : null
    const gateways = groups.includes('gateway') ? await store.gatewayNames() : null
    return rows.map((row) => ({
      ...row,
      ...(people ? { developer_name: people.get(row.developer ?? '') ?? null } : {}),
      ...(gateways ? { gateway_name: gateways.get(row.gateway ?? '') ?? null } : {}),
    }))
  }
}

/** @throws {AppError} `invalid_report` */
function groupsOf(text: string): Group[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))]
  const unknown = names.find((name) => !GROUPS.includes(name as Group))
  if (unknown !== undefined || names.length > MAX_GROUPS) {
    throw new AppError(
      'invalid_report',
      `\`group_by\` takes one to ${MAX_GROUPS} of ${GROUPS.join(', ')}, comma-separated.`,
    )
  }
  return names as Group[]
}

/** Every request is in one group, so the groups add up to all. */
function added(rows: Sums[]): Sums {
  const all: Sums = {}
  for (const row of rows)
    for (const [name, value] of Object.entries(row))
      if (!DIMENSIONS.has(name)) all[name] = Number(all[name] ?? 0) + Number(value)
  return all
}
const DIMENSIONS: ReadonlySet<string> = new Set(GROUPS.map(columnOf))

/** Days as they went by; all else by how much it was used. */
const byDayThenSize = (groups: readonly Group[]) => (a: Sums, b: Sums) =>
  (groups.includes('day') ? String(a.day).localeCompare(String(b.day)) : 0) ||
  Number(b.requests) - Number(a.requests)

const namesOf = (row: Sums, groups: readonly Group[]) =>
  Object.fromEntries(
    groups.map((group) => {
      const value = row[columnOf(group)]
      return [group, group === 'status' ? Number(value) : String(value)]
    }),
  ) as Partial<ReportRow>

function figuresOf(row: Sums, sessions: number): Figures {
  const of = (name: string) => Number(row[name] ?? 0)
  const cached = of('cache_read')
  const allInput = of('input') + cached + of('cache_write_5m') + of('cache_write_1h')
  return {
    requests: of('requests'),
    sessions,
    turns: of('turns'),
    errors: of('errors'),
    errors_by_class: {
      auth: of('in_auth'),
      rate_limit: of('in_rate_limit'),
      client: of('in_client'),
      overloaded: of('in_overloaded'),
      server: of('in_server'),
      stream: of('stream_errors'),
    },
    retries: of('retries'),
    aborts: of('aborts'),
    input: of('input'),
    cache_read: cached,
    cache_write_5m: of('cache_write_5m'),
    cache_write_1h: of('cache_write_1h'),
    output: of('output'),
    reasoning: of('reasoning'),
    cost: of('cost'),
    unpriced: of('unpriced'),
    cache_hit_share: allInput > 0 ? cached / allInput : null,
    ttft_p50_ms: percentile(row as Record<string, number>, 'ttft', 0.5),
    ttft_p95_ms: percentile(row as Record<string, number>, 'ttft', 0.95),
    total_p50_ms: percentile(row as Record<string, number>, 'total', 0.5),
    total_p95_ms: percentile(row as Record<string, number>, 'total', 0.95),
  }
}
