import type { CsvCell } from './csv'
import type { Report } from './data'
import { clientName, costText, count, developerName, milliseconds, share } from './format'

export type ReportRow = Report['rows'][number]

export const GROUPS = [
  { value: 'day', label: 'Day' },
  { value: 'developer', label: 'Developer' },
  { value: 'project', label: 'Project' },
  { value: 'model', label: 'Model' },
  { value: 'client', label: 'Client' },
  { value: 'gateway', label: 'Gateway' },
  { value: 'status', label: 'Status' },
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
      return row.status === 0 ? 'no answer' : String(row.status)
    case 'project':
      return row.project || 'no project'
    case 'model':
      return row.model || 'no model'
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
    label: 'Cost',
    value: (row) => (isUnpriced(row) ? null : row.cost),
    text: costText,
    cell: (row) => (isUnpriced(row) ? 'unpriced' : row.cost),
  },
  counted('requests', 'Requests', (row) => row.requests),
  counted('sessions', 'Sessions', (row) => row.sessions),
  counted('turns', 'Turns', (row) => row.turns),
  counted('input', 'Input', (row) => row.input),
  counted('cache_read', 'Cache read', (row) => row.cache_read),
  counted('cache_write_5m', 'Cache write 5 m', (row) => row.cache_write_5m),
  counted('cache_write_1h', 'Cache write 1 h', (row) => row.cache_write_1h),
  counted('output', 'Output', (row) => row.output),
  {
    name: 'cache_hit_share',
    label: 'Cache hits',
    value: (row) => row.cache_hit_share,
    text: (row) => share(row.cache_hit_share),
  },
  counted('errors', 'Errors', (row) => row.errors),
  counted('retries', 'Retries', (row) => row.retries),
  counted('aborts', 'Aborts', (row) => row.aborts),
  timed('ttft_p50_ms', 'First token p50', (row) => row.ttft_p50_ms),
  timed('ttft_p95_ms', 'First token p95', (row) => row.ttft_p95_ms),
  timed('total_p50_ms', 'Total p50', (row) => row.total_p50_ms),
  timed('total_p95_ms', 'Total p95', (row) => row.total_p95_ms),
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
