import type { Insertable } from 'kysely'
import type { Tables } from '#kernel/db/tables'
import { bucketColumn, bucketColumns, bucketOf } from '../buckets'
import { costOf, type PriceTable, tokenCount } from '../prices'
import type { RequestLine } from './line'

export type DailyRow = Insertable<Tables['gateway_daily']>
export type SessionDayRow = Insertable<Tables['gateway_session_days']>
export type SessionRow = Insertable<Tables['gateway_sessions']>
export type ToolDayRow = Insertable<Tables['gateway_tool_days']>

/** A record as the totals see it. */
export interface Counted {
  line: RequestLine
  gatewayId: string
  day: string
  at: number
  model: string
  /** Dollars; null where no price is known. */
  cost: number | null
}

export const NOBODY = ''
const FAILED = ['upstream_error', 'stream_error']

export function counted(line: RequestLine, gatewayId: string, at: number, prices: PriceTable): Counted {
  const model = line.response.model ?? line.request.model_requested ?? ''
  const price = prices.of(model)
  return {
    line,
    gatewayId,
    day: new Date(at).toISOString().slice(0, 10),
    at,
    model,
    cost: price ? costOf(line.tokens, price) : null,
  }
}

const isError = ({ response }: RequestLine): boolean =>
  response.status >= 400 || FAILED.includes(response.ended)

/** What a batch adds to each day's totals, one row for each grouping, in the order of their keys. */
export function dailyRows(records: Counted[]): DailyRow[] {
  return summed(records, groupingOf, newDaily, (row, record) => {
    const { line } = record
    addCounts(row, line)
    row.stream_errors += Number(FAILED.includes(line.response.ended))
    row.reasoning += line.tokens.reasoning
    addTokens(row, record, tokenCount(line.tokens) > 0)
    row[bucketColumn('total', bucketOf(line.time.total_ms))] += 1
    if (line.time.ttft_ms !== null) row[bucketColumn('ttft', bucketOf(line.time.ttft_ms))] += 1
  })
}

export function sessionDayRows(records: Counted[]): SessionDayRow[] {
  const ofSessions = records.filter(({ line }) => line.session_id !== null)
  const keyed = (record: Counted) => ({ session_id: record.line.session_id!, ...groupingOf(record) })
  return summed(
    ofSessions,
    keyed,
    (): Omit<SessionDayRow, keyof ReturnType<typeof keyed>> => ({ ...NO_TOKENS }),
    (row, record) => addTokens(row, record, tokenCount(record.line.tokens) > 0),
  )
}

export function sessionRows(records: Counted[]): SessionRow[] {
  const ofSessions = records.filter(({ line }) => line.session_id !== null)
  const keyOf = ({ line }: Counted) => ({
    id: line.session_id!,
    developer_id: line.developer_id ?? NOBODY,
  })
  return summed(ofSessions, keyOf, newSession, (row, { line, at, model, gatewayId, cost }) => {
    const { tokens } = line
    addCounts(row, line)
    row.gateway_id = gatewayId
    row.client = line.client
    row.project = line.project?.name ?? row.project
    row.model = model || row.model
    row.started_at = row.started_at === 0 ? at : Math.min(row.started_at, at)
    row.last_at = Math.max(row.last_at, at)
    row.tools += line.response.tools_used.length
    row.agents += Number(line.agent_id !== null)
    row.input += tokens.input
    row.cache_read += tokens.cache_read
    row.cache_write += tokens.cache_write_5m + tokens.cache_write_1h
    row.output += tokens.output
    row.unpriced += Number(cost === null && tokenCount(tokens) > 0)
    row.cost += cost ?? 0
  })
}

function addCounts(
  row: { requests: number; turns: number; errors: number; retries: number; aborts: number },
  line: RequestLine,
) {
  row.requests += 1
  row.turns += Number(line.turn_key !== null && line.attempt === 1)
  row.errors += Number(isError(line))
  row.retries += Number(line.attempt > 1)
  row.aborts += Number(line.response.ended === 'client_abort')
}

/** A call counts where it was made, its result where it came back: the next request. */
export function toolRows(records: Counted[]): ToolDayRow[] {
  const uses = records.flatMap((record) => [
    ...record.line.response.tools_used.map(({ name }) => ({ record, name, calls: 1, bytes: 0, error: 0 })),
    ...(record.line.attempt > 1 ? [] : record.line.request.tool_results).map(({ name, bytes, is_error }) => ({
      record,
      name: name ?? '',
      calls: 0,
      bytes,
      error: is_error ? 1 : 0,
    })),
  ])
  const keyOf = ({ record, name }: (typeof uses)[number]) => {
    const { day, gateway_id, developer_id, project, client } = groupingOf(record)
    return { day, gateway_id, developer_id, project, client, tool: name }
  }
  return summed(
    uses,
    keyOf,
    () => ({ calls: 0, errors: 0, result_bytes: 0 }),
    (row, { calls, bytes, error }) => {
      row.calls += calls
      row.errors += error
      row.result_bytes += bytes
    },
  )
}

function groupingOf({ line, gatewayId, day, model }: Counted) {
  return {
    day,
    gateway_id: gatewayId,
    developer_id: line.developer_id ?? NOBODY,
    project: line.project?.name ?? '',
    model,
    client: line.client,
    billing: line.billing,
    status: line.response.status,
  }
}

const NO_TOKENS = {
  billable: 0,
  unpriced: 0,
  input: 0,
  cache_read: 0,
  cache_write_5m: 0,
  cache_write_1h: 0,
  output: 0,
  cost: 0,
}

function addTokens(row: typeof NO_TOKENS, { line: { tokens }, cost }: Counted, used: boolean) {
  row.billable += used ? 1 : 0
  row.unpriced += used && cost === null ? 1 : 0
  row.input += tokens.input
  row.cache_read += tokens.cache_read
  row.cache_write_5m += tokens.cache_write_5m
  row.cache_write_1h += tokens.cache_write_1h
  row.output += tokens.output
  row.cost += cost ?? 0
}

const NO_BUCKETS = Object.fromEntries(bucketColumns.map((column) => [column, 0])) as Record<
  (typeof bucketColumns)[number],
  number
>

const newDaily = () => ({
  ...NO_TOKENS,
  requests: 0,
  turns: 0,
  errors: 0,
  stream_errors: 0,
  retries: 0,
  aborts: 0,
  reasoning: 0,
  ...NO_BUCKETS,
})

const newSession = () => ({
  gateway_id: '',
  project: '',
  client: '',
  model: '',
  started_at: 0,
  last_at: 0,
  requests: 0,
  turns: 0,
  errors: 0,
  retries: 0,
  aborts: 0,
  tools: 0,
  agents: 0,
  input: 0,
  cache_read: 0,
  cache_write: 0,
  output: 0,
  unpriced: 0,
  cost: 0,
})

/** One row for each key, sorted by it, so that two writers at once take rows in the same order. */
export function summed<Item, Key extends object, Row extends object>(
  items: Item[],
  keyOf: (item: Item) => Key,
  empty: () => Row,
  add: (row: Row, item: Item) => void,
): (Key & Row)[] {
  const rows = new Map<string, Key & Row>()
  for (const item of items) {
    const key = keyOf(item)
    const name = JSON.stringify(Object.values(key))
    const row = rows.get(name) ?? { ...empty(), ...key }
    rows.set(name, row)
    add(row, item)
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}
