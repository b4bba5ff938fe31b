import type { Insertable } from 'kysely'
import type { Tables } from '#kernel/db/tables'
import { bucketColumns } from '../buckets'
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

/** The totals of a batch by fewer dimensions: of each developer, and of each project and model. */
export function daySumRows(daily: DailyRow[]): DaySumRow[] {
  const views = daily.flatMap((row) => [
    { row, kind: 'developer' as const, developer_id: row.developer_id, project: '', model: '' },
    { row, kind: 'work' as const, developer_id: '', project: row.project, model: row.model },
  ])
  const keyOf = ({ row, kind, developer_id, project, model }: (typeof views)[number]) => ({
    kind,
    day: row.day,
    developer_id,
    project,
    model,
  })
  return summed(
    views,
    keyOf,
    () => ({ ...EMPTY }),
    (sums, { row }) => {
      for (const column of SUMS) sums[column] += row[column] ?? 0
      for (const name of ERROR_CLASSES)
        if (isOfClass(name, row.status)) sums[classColumn(name)] += row.requests
    },
  )
}

/** From when to when the sessions of a batch were at a project, used a model, and both. */
export function sessionSpanRows(days: SessionDayRow[]): SessionSpanRow[] {
  const views = days.flatMap(({ day, session_id, developer_id, project, model }) => [
    { day, key: { kind: 'project' as const, session_id, developer_id, project, model: '' } },
    { day, key: { kind: 'model' as const, session_id, developer_id, project: '', model } },
    { day, key: { kind: 'both' as const, session_id, developer_id, project, model } },
  ])
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
