import type { Tables } from '#kernel/db/tables'

type DaySums = Tables['gateway_day_sums']
type Spans = Tables['gateway_session_spans']

/** The dimensions that each kind of the smaller totals has besides the day, the smallest first. */
export const DAY_SUM_DIMENSIONS = {
  status: ['status'],
  developer: ['developer_id'],
  work: ['project', 'model'],
  usage: ['developer_id', 'model'],
} as const satisfies Record<DaySums['kind'], (keyof DaySums)[]>

/** What each kind of the sessions' spans has besides the session and its developer. */
export const SPAN_DIMENSIONS = {
  status: ['status'],
  project: ['project'],
  model: ['model'],
  both: ['project', 'model'],
} as const satisfies Record<Spans['kind'], (keyof Spans)[]>

/** A dimension that a kind leaves out. */
const LEFT_OUT = { developer_id: '', project: '', model: '', status: 0 }

/** Of a row that has all dimensions, those that a kind has. */
export const keptOf = (row: typeof LEFT_OUT, kept: readonly (keyof typeof LEFT_OUT)[]): typeof LEFT_OUT => ({
  ...LEFT_OUT,
  ...Object.fromEntries(kept.map((column) => [column, row[column]])),
})

export const entriesOf = <Of extends object>(of: Of) => Object.entries(of) as [keyof Of, Of[keyof Of]][]
