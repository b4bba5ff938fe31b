import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Tables } from '#kernel/db/tables'
import { bucketColumns } from '../buckets'
import { DAY_SUM_DIMENSIONS, entriesOf, SPAN_DIMENSIONS } from '../dimensions'
import { classColumn, classCondition, ERROR_CLASSES } from '../error-classes'
import { FIGURES } from '../figures'
import type { Range } from './range'
import type { Group } from './schema'

/** Null: of everybody. */
export type Scope = string | null

export interface Filters {
  developer?: string
  project?: string
  model?: string
  client?: string
  gateway?: string
}

const COLUMNS = {
  developer: 'developer_id',
  project: 'project',
  model: 'model',
  client: 'client',
  gateway: 'gateway_id',
  day: 'day',
  status: 'status',
} as const satisfies Record<Group, string>

export const columnOf = (group: Group) => COLUMNS[group]

type Grouped = 'gateway_daily' | 'gateway_day_sums' | 'gateway_session_days'

function within<Table extends Grouped | 'gateway_tool_days', O>(
  query: SelectQueryBuilder<Tables, Table, O>,
  { from, to }: Range,
  filters: Filters,
  scope: Scope,
) {
  const is = (column: string, operator: string, value: string) =>
    sql<SqlBool>`${sql.ref(column)} ${sql.raw(operator)} ${value}` as Expression<SqlBool>
  let narrowed = query.where(is('day', '>=', from)).where(is('day', '<', to))
  if (scope !== null) narrowed = narrowed.where(is('developer_id', '=', scope))
  for (const [name, value] of Object.entries(filters)) {
    if (value !== undefined)
      narrowed = narrowed.where(is(COLUMNS[name as Group], '=', value.replaceAll('\0', '')))
  }
  return narrowed
}

const OF_A_SESSION: readonly Group[] = ['developer', 'client', 'gateway']
type SessionColumn = 'developer_id' | 'client' | 'gateway_id'

/** Sessions that went on within the range. */
async function wholeSessions(
  db: Db,
  columns: SessionColumn[],
  { from, to }: Range,
  { developer, client, gateway }: Filters,
  scope: Scope,
) {
  const chosen = { developer_id: developer, client, gateway_id: gateway }
  let query = db
    .selectFrom('gateway_sessions')
    .where('last_at', '>=', Date.parse(from))
    .where('started_at', '<', Date.parse(to))
  if (scope !== null) query = query.where('developer_id', '=', scope)
  for (const [column, value] of Object.entries(chosen) as [SessionColumn, string | undefined][])
    if (value !== undefined) query = query.where(column, '=', value.replaceAll('\0', ''))
  return counted(query, columns)
}

/** What a report is grouped and narrowed by. */
function dimensionsOf(groups: readonly Group[], filters: Filters, scope: Scope): Group[] {
  const narrowed = Object.entries(filters).filter(([, value]) => value !== undefined)
  return [
    ...groups,
    ...narrowed.map(([name]) => name as Group),
    ...(scope === null ? [] : ['developer' as const]),
  ]
}

const classSums = ERROR_CLASSES.map((name) =>
  sql<number>`sum(case when ${sql.raw(classCondition(name))} then requests else 0 end)`.as(classColumn(name)),
)

/** The smallest totals that know these; null where only the whole ones do. */
const daySumsOf = (asked: readonly Group[]) =>
  knowing(
    DAY_SUM_DIMENSIONS,
    asked.filter((group) => group !== 'day'),
  )

/** Which spans of sessions answer; null where only their days do. */
function spansOf(asked: readonly Group[]) {
  const rest = asked.filter((group) => group !== 'developer')
  return rest.length > 0 ? knowing(SPAN_DIMENSIONS, rest) : null
}

function knowing<Kind extends string>(kinds: Record<Kind, readonly string[]>, asked: readonly Group[]) {
  const found = entriesOf(kinds).find(([, kept]) => asked.every((group) => kept.includes(columnOf(group))))
  return found?.[0] ?? null
}

/** Sessions that were at a project, used a model, or met a status, within the range. */
async function spanningSessions(
  db: Db,
  kind: keyof typeof SPAN_DIMENSIONS,
  columns: string[],
  { from, to }: Range,
  { developer, project, model }: Filters,
  scope: Scope,
) {
  let query = db
    .selectFrom('gateway_session_spans')
    .where('kind', '=', kind)
    .where('last_day', '>=', from)
    .where('first_day', '<', to)
  if (scope !== null) query = query.where('developer_id', '=', scope)
  const chosen = { developer_id: developer, project, model }
  for (const [column, value] of Object.entries(chosen) as [keyof typeof chosen, string | undefined][])
    if (value !== undefined) query = query.where(column, '=', value.replaceAll('\0', ''))
  return counted(query, columns)
}

/** Rows by group. */
async function counted(from: object, columns: string[]) {
  const query = (from as SelectQueryBuilder<Tables, 'gateway_session_spans', object>)
    .select(columns as 'project'[])
    .select((is) => is.fn.countAll<number>().as('sessions'))
  const rows = await (columns.length > 0 ? query.groupBy(columns as 'project'[]) : query).execute()
  return rows as unknown as Record<string, string | number>[]
}

export const reportStore = (db: Db) => ({
  /** Sums by group, from the smallest totals that know what is asked for. */
  async sums(groups: readonly Group[], range: Range, filters: Filters, scope: Scope) {
    const columns = groups.map(columnOf)
    const asked = dimensionsOf(groups, filters, scope)
    const kind = daySumsOf(asked)
    const figures = [...FIGURES, ...bucketColumns, ...(kind ? ERROR_CLASSES.map(classColumn) : [])]
    const totals = kind
      ? within(db.selectFrom('gateway_day_sums').where('kind', '=', kind), range, filters, scope)
      : within(db.selectFrom('gateway_daily'), range, filters, scope).select(classSums)
    const rows = await (totals as SelectQueryBuilder<Tables, 'gateway_daily', object>)
      .select(columns)
      .select(figures.map((column) => sql<number>`sum(${sql.ref(column)})`.as(column)))
      .groupBy(columns)
      .execute()
    return rows as unknown as Record<string, string | number | null>[]
  },

  /** Distinct sessions by group. */
  async sessions(groups: readonly Group[], range: Range, filters: Filters, scope: Scope) {
    const columns = groups.map(columnOf)
    // A session has one developer, client and gateway: there the sessions themselves are counted, which is far less to
    // read. Days, projects, models and statuses it may have several of.
    if (groups.every((group) => OF_A_SESSION.includes(group)) && !filters.project && !filters.model)
      return wholeSessions(db, columns as SessionColumn[], range, filters, scope)
    const kind = spansOf(dimensionsOf(groups, filters, scope))
    if (kind) return spanningSessions(db, kind, columns, range, filters, scope)
    const query = within(db.selectFrom('gateway_session_days'), range, filters, scope)
      .select(columns)
      .select(sql<number>`count(distinct session_id)`.as('sessions'))
    return (await (columns.length > 0 ? query.groupBy(columns) : query).execute()) as unknown as Record<
      string,
      string | number
    >[]
  },

  gaps: ({ from, to }: Range, gateway: string | undefined) =>
    db
      .selectFrom('gateway_gaps')
      .where('day', '>=', from)
      .where('day', '<', to)
      .$if(gateway !== undefined, (query) => query.where('gateway_id', '=', gateway!))
      .selectAll()
      .orderBy('from_at')
      .limit(200)
      .execute(),

  tools: (range: Range, filters: Filters, scope: Scope, limit: number) =>
    within(db.selectFrom('gateway_tool_days'), range, filters, scope)
      .where('tool', '!=', '')
      .groupBy('tool')
      .select((is) => [
        'tool',
        is.fn.sum<number>('calls').as('calls'),
        is.fn.sum<number>('errors').as('errors'),
        is.fn.sum<number>('result_bytes').as('result_bytes'),
      ])
      .orderBy('calls', 'desc')
      .orderBy('tool')
      .limit(limit)
      .execute(),

  userNames: async (ids: readonly string[]): Promise<Map<string, string>> => {
    const known = [...new Set(ids)].filter(Boolean)
    if (known.length === 0) return new Map()
    const rows = await db
      .selectFrom('users')
      .where('id', 'in', known)
      .select(['id', 'display_name'])
      .execute()
    return new Map(rows.map(({ id, display_name }) => [id, display_name]))
  },

  gatewayNames: async (): Promise<Map<string, string>> => {
    const rows = await db.selectFrom('gateways').select(['id', 'name']).execute()
    return new Map(rows.map(({ id, name }) => [id, name]))
  },
})
