import { type Insertable, sql } from 'kysely'
import { batchInsert } from '#kernel/db/batch-insert'
import type { Db, Tables } from '#kernel/db/tables'
import { bucketColumns } from '../buckets'
import { FIGURES } from '../figures'
import { DAY_SUMS, type DaySumRow, type SessionSpanRow } from './sums'
import type { DailyRow, SessionDayRow, SessionRow, ToolDayRow } from './totals'

type RecordRow = Insertable<Tables['gateway_records']>

/** Rows of one statement; the rest goes one by one, so that few texts are kept. */
const ROWS = 32

const GROUPING = [
  'day',
  'gateway_id',
  'developer_id',
  'project',
  'model',
  'client',
  'billing',
  'status',
] as const
const TOKENS = [
  'billable',
  'unpriced',
  'input',
  'cache_read',
  'cache_write_5m',
  'cache_write_1h',
  'output',
  'cost',
] as const
const DAILY = [...FIGURES, 'billable', ...bucketColumns] as const
const SESSION_SUMS = [
  'requests',
  'turns',
  'errors',
  'retries',
  'aborts',
  'tools',
  'agents',
  'input',
  'cache_read',
  'cache_write',
  'output',
  'unpriced',
  'cost',
] as const
const SESSION_DAY_KEY = [...GROUPING, 'session_id'] as const
const DAY_SUM_KEY = ['kind', 'day', 'developer_id', 'project', 'model', 'status'] as const
const SPAN_KEY = ['kind', 'session_id', 'developer_id', 'project', 'model', 'status'] as const
const TOOL_KEY = ['day', 'gateway_id', 'developer_id', 'project', 'client', 'tool'] as const
const TOOL_SUMS = ['calls', 'errors', 'result_bytes'] as const

/** The statements of an ingest; made once, because making them anew costs more than running them. */
export function ingestInserts() {
  const records = batchInsert<RecordRow>(
    [
      'id',
      'type',
      'gateway_id',
      'epoch',
      'seq',
      'day',
      'at',
      'session_id',
      'developer_id',
      'model',
      'input',
      'cache_read',
      'cache_write_5m',
      'cache_write_1h',
      'output',
      'cost',
      'price_version',
      'archive_part',
      'line',
    ],
    (db, rows) => db.insertInto('gateway_records').values(rows),
  )

  const daily = adding<DailyRow>('gateway_daily', GROUPING, DAILY)
  const sessionDays = adding<SessionDayRow>('gateway_session_days', SESSION_DAY_KEY, TOKENS)
  const daySums = adding<DaySumRow>('gateway_day_sums', DAY_SUM_KEY, DAY_SUMS)
  const tools = adding<ToolDayRow>('gateway_tool_days', TOOL_KEY, TOOL_SUMS)

  return {
    records: inSlices(records),
    daily: inSlices(daily),
    daySums: inSlices(daySums),
    sessionDays: inSlices(sessionDays),
    sessionSpans: inSlices(sessionSpanInsert()),
    sessions: inSlices(sessionInsert()),
    tools: inSlices(tools),
  }
}

const sessionSpanInsert = () =>
  batchInsert<SessionSpanRow>([...SPAN_KEY, 'first_day', 'last_day'], (db, rows) =>
    db
      .insertInto('gateway_session_spans')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns([...SPAN_KEY]).doUpdateSet((is) => {
          const outer = (column: 'first_day' | 'last_day', than: '<' | '>') =>
            is
              .case()
              .when(is.ref(`excluded.${column}`), than, is.ref(`gateway_session_spans.${column}`))
              .then(is.ref(`excluded.${column}`))
              .else(is.ref(`gateway_session_spans.${column}`))
              .end()
          return { first_day: outer('first_day', '<'), last_day: outer('last_day', '>') }
        }),
      ),
  )

/** The latest request tells the model and the project, where it has one. */
const sessionInsert = () =>
  batchInsert<SessionRow>(
    [
      'id',
      'developer_id',
      'gateway_id',
      'project',
      'client',
      'model',
      'started_at',
      'last_at',
      ...SESSION_SUMS,
    ],
    (db, rows) =>
      db
        .insertInto('gateway_sessions')
        .values(rows)
        .onConflict((conflict) =>
          conflict.columns(['id', 'developer_id']).doUpdateSet((is) => {
            const known = (column: 'project' | 'model') =>
              is
                .case()
                .when(is.ref(`excluded.${column}`), '!=', '')
                .then(is.ref(`excluded.${column}`))
                .else(is.ref(`gateway_sessions.${column}`))
                .end()
            const outer = (column: 'started_at' | 'last_at', than: '<' | '>') =>
              is
                .case()
                .when(is.ref(`excluded.${column}`), than, is.ref(`gateway_sessions.${column}`))
                .then(is.ref(`excluded.${column}`))
                .else(is.ref(`gateway_sessions.${column}`))
                .end()
            return {
              gateway_id: is.ref('excluded.gateway_id'),
              client: is.ref('excluded.client'),
              project: known('project'),
              model: known('model'),
              started_at: outer('started_at', '<'),
              last_at: outer('last_at', '>'),
              ...sums(SESSION_SUMS, (column) =>
                is(`gateway_sessions.${column}`, '+', is.ref(`excluded.${column}`)),
              ),
            }
          }),
        ),
  )

/** Rows of totals; what is there for the same key already grows by them. */
function adding<Row extends object>(
  table: string,
  key: readonly (keyof Row & string)[],
  figures: readonly (keyof Row & string)[],
) {
  const columns = [...key, ...figures]
  const names = (of: readonly string[]) => sql.join(of.map((name) => sql.ref(name)))
  const grown = figures.map(
    (name) => sql`${sql.ref(name)} = ${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
  )
  return batchInsert<Row>(columns, (db, rows) => {
    const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`)
    const insert = sql`
      insert into ${sql.table(table)} (${names(columns)}) values ${sql.join(values)}
      on conflict (${names(key)}) do update set ${sql.join(grown)}
    `
    return { compile: () => insert.compile(db) }
  })
}

const sums = <Column extends string, Sum>(columns: readonly Column[], sum: (column: Column) => Sum) =>
  Object.fromEntries(columns.map((column) => [column, sum(column)])) as Record<Column, Sum>

const inSlices =
  <Row>(insert: (db: Db, rows: Row[]) => Promise<void>) =>
  async (db: Db, rows: Row[]): Promise<void> => {
    let at = 0
    for (; at + ROWS <= rows.length; at += ROWS) await insert(db, rows.slice(at, at + ROWS))
    for (; at < rows.length; at++) await insert(db, [rows[at]!])
  }

export const ingestStore = (db: Db) => ({
  /** Numbers below are known already; 0 for a queue that is new. */
  watermarks: async (gatewayId: string, epochs: string[]): Promise<Map<string, number>> => {
    if (epochs.length === 0) return new Map()
    const rows = await db
      .selectFrom('gateway_watermarks')
      .where('gateway_id', '=', gatewayId)
      .where('epoch', 'in', epochs)
      .select(['epoch', 'seq'])
      .execute()
    return new Map(rows.map(({ epoch, seq }) => [epoch, seq]))
  },

  raiseWatermark: (row: Insertable<Tables['gateway_watermarks']>) =>
    db
      .insertInto('gateway_watermarks')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['gateway_id', 'epoch']).doUpdateSet((is) => ({
          seq: is.ref('excluded.seq'),
          updated_at: is.ref('excluded.updated_at'),
        })),
      )
      .execute(),

  insertGaps: (rows: Insertable<Tables['gateway_gaps']>[]) =>
    db
      .insertInto('gateway_gaps')
      .values(rows)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute(),

  touchKey: (id: string, at: number) =>
    db
      .updateTable('gateway_keys')
      .set({ last_used_at: at })
      .where('id', '=', id)
      .where((is) => is.or([is('last_used_at', 'is', null), is('last_used_at', '<', at)]))
      .execute(),
})
