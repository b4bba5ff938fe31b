import { texts } from '../texts/gateway-reports'
import { count } from '../texts/words'
import type { CsvCell } from './csv'
import type { Report } from './data'
import { clientName, costText, developerName, milliseconds, share } from './format'

export type ReportRow = Report['rows'][number]

export const GROUPS = [
  { value: 'day', label: texts.fields.day },
  { value: 'developer', label: texts.fields.developer },
  { value: 'project', label: texts.fields.project },
  { value: 'model', label: texts.fields.model },
  { value: 'client', label: texts.fields.client },
  { value: 'gateway', label: texts.fields.gateway },
  { value: 'status', label: texts.fields.status },
] as const
export type Group = (typeof GROUPS)[number]['value']
export const MOST_GROUPS = 3

export const groupsOf = (text: string | undefined): Group[] => {
  const names = (text ?? '').split(',')
  const known = names.filter((name): name is Group => GROUPS.some(({ value }) => value === name))
  return known.length > 0 ? [...new Set(known)].slice(0, MOST_GROUPS) : ['day']
}

/** What a group's value is called. */
export function groupText(row: ReportRow, group: Group): string {
  switch (group) {
    case 'developer':
      return developerName(row.developer_name, row.developer ?? '')
    case 'gateway':
      return row.gateway_name ?? row.gateway ?? ''
    case 'client':
      return clientName(row.client ?? '')
    case 'status':
      return row.status === 0 ? texts.values.noAnswer : String(row.status)
    case 'project':
      return row.project || texts.values.noProject
    case 'model':
      return row.model || texts.values.noModel
    case 'day':
      return row.day ?? ''
  }
}

type Figures = Report['totals']

export interface Column {
  name: string
  label: string
  /** What rows are sorted by; what is not known comes last. */
  value: (row: Figures) => number | null
  text: (row: Figures) => string
  cell?: (row: Figures) => CsvCell
}

const counted = (name: string, label: string, value: (row: Figures) => number): Column => ({
  name,
  label,
  value,
  text: (row) => count(value(row)),
})
const timed = (name: string, label: string, value: (row: Figures) => number | null): Column => ({
  name,
  label,
  value,
  text: (row) => milliseconds(value(row)),
})

export const COLUMNS: readonly Column[] = [
  {
    name: 'cost',
    label: texts.fields.cost,
    value: (row) => (isUnpriced(row) ? null : row.cost),
    text: costText,
    cell: (row) => (isUnpriced(row) ? 'unpriced' : row.cost),
  },
  counted('requests', texts.fields.requests, (row) => row.requests),
  counted('sessions', texts.fields.sessions, (row) => row.sessions),
  counted('turns', texts.fields.turns, (row) => row.turns),
  counted('input', texts.fields.input, (row) => row.input),
  counted('cache_read', texts.fields.cacheRead, (row) => row.cache_read),
  counted('cache_write_5m', texts.fields.cacheWrite5m, (row) => row.cache_write_5m),
  counted('cache_write_1h', texts.fields.cacheWrite1h, (row) => row.cache_write_1h),
  counted('output', texts.fields.output, (row) => row.output),
  {
    name: 'cache_hit_share',
    label: texts.fields.cacheHits,
    value: (row) => row.cache_hit_share,
    text: (row) => share(row.cache_hit_share),
  },
  counted('errors', texts.fields.errors, (row) => row.errors),
  counted('retries', texts.fields.retries, (row) => row.retries),
  counted('aborts', texts.fields.aborts, (row) => row.aborts),
  timed('ttft_p50_ms', texts.fields.firstTokenP50, (row) => row.ttft_p50_ms),
  timed('ttft_p95_ms', texts.fields.firstTokenP95, (row) => row.ttft_p95_ms),
  timed('total_p50_ms', texts.fields.totalP50, (row) => row.total_p50_ms),
  timed('total_p95_ms', texts.fields.totalP95, (row) => row.total_p95_ms),
]

/** Not one of its requests has a price. */
const isUnpriced = ({ cost, unpriced }: Figures): boolean => unpriced > 0 && cost === 0

export interface Sorting {
  /** A column's or a group's name. */
  by: string
  descending: boolean
}

/** `-cost` is the dearest first. */
export const sortingOf = (text: string | undefined): Sorting | null =>
  text ? { by: text.replace(/^-/, ''), descending: text.startsWith('-') } : null

export function sorted(rows: readonly ReportRow[], sorting: Sorting | null): ReportRow[] {
  if (!sorting) return [...rows]
  const direction = sorting.descending ? -1 : 1
  const column = COLUMNS.find(({ name }) => name === sorting.by)
  const group = GROUPS.find(({ value }) => value === sorting.by)?.value
  if (!column) {
    return group
      ? rows.toSorted((a, b) => direction * groupText(a, group).localeCompare(groupText(b, group)))
      : [...rows]
  }
  return rows.toSorted((a, b) => {
    const [left, right] = [column.value(a), column.value(b)]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return direction * (left - right)
  })
}

/** Header and rows of the file: raw numbers, names beside ids. */
export function csvTable(rows: readonly ReportRow[], groups: readonly Group[]) {
  const named = groups.filter((group) => group === 'developer' || group === 'gateway')
  return {
    header: [
      ...groups,
      ...named.map((group) => `${group}_name`),
      ...COLUMNS.map(({ name }) => name),
      'reasoning',
      'unpriced_requests',
    ],
    rows: rows.map((row): CsvCell[] => [
      ...groups.map((group) => row[group] ?? ''),
      ...named.map((group) => groupText(row, group)),
      ...COLUMNS.map(({ value, cell }) => (cell ? cell(row) : value(row))),
      row.reasoning,
      row.unpriced,
    ]),
  }
}
