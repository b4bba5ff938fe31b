import type { Insertable } from 'kysely'
import type { Tables } from '#kernel/db/tables'
import { bucketColumns } from '../buckets'
import { DAY_SUM_DIMENSIONS, entriesOf, keptOf, SPAN_DIMENSIONS } from '../dimensions'
import { classColumn, ERROR_CLASSES, isOfClass } from '../error-classes'
import { FIGURES } from '../figures'
import { type DailyRow, type SessionDayRow, summed } from './totals'

export type DaySumRow = Insertable<Tables['gateway_day_sums']>
export type SessionSpanRow = Insertable<Tables['gateway_session_spans']>

const SUMS = [...FIGURES, ...bucketColumns] as const
const CLASS_COLUMNS = ERROR_CLASSES.map(classColumn)
export const DAY_SUMS = [...SUMS, ...CLASS_COLUMNS] as const

const EMPTY = Object.fromEntries(DAY_SUMS.map((column) => [column, 0])) as Record<
  (typeof DAY_SUMS)[number],
  number
>

/** The totals of a batch by fewer dimensions. */
export function daySumRows(daily: DailyRow[]): DaySumRow[] {
  const views = entriesOf(DAY_SUM_DIMENSIONS).flatMap(([kind, kept]) =>
    daily.map((row) => ({ row, key: { kind, day: row.day, ...keptOf(row, kept) } })),
  )
  return summed(
    views,
    ({ key }) => key,
    () => ({ ...EMPTY }),
    (sums, { row }) => {
      for (const column of SUMS) sums[column] += row[column] ?? 0
      for (const name of ERROR_CLASSES)
        if (isOfClass(name, row.status)) sums[classColumn(name)] += row.requests
    },
  )
}

/** From when to when the sessions of a batch were at a project, used a model, both, or met a status. */
export function sessionSpanRows(days: SessionDayRow[]): SessionSpanRow[] {
  const views = entriesOf(SPAN_DIMENSIONS).flatMap(([kind, kept]) =>
    days.map((row) => {
      const { day, session_id, developer_id } = row
      return { day, key: { kind, session_id, ...keptOf(row, kept), developer_id } }
    }),
  )
  return summed(
    views,
    ({ key }) => key,
    () => ({ first_day: '', last_day: '' }),
    (span, { day }) => {
      if (span.first_day === '' || day < span.first_day) span.first_day = day
      if (day > span.last_day) span.last_day = day
    },
  )
}
