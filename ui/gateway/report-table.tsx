import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { classes } from '../kit/classes'
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '../kit/table'
import { texts as reports } from '../texts/gateway-reports'
import { COLUMNS, GROUPS, type Group, groupText, type ReportRow, type Sorting } from './columns'
import type { Report } from './data'

const texts = reports.report

interface ReportTableProps {
  rows: readonly ReportRow[]
  groups: readonly Group[]
  totals: Report['totals']
  sorting: Sorting | null
  /** As the address has it: `-cost`. */
  onSort: (sort: string | undefined) => void
}

export const ReportTable = ({ rows, groups, totals, sorting, onSort }: ReportTableProps) => (
  <Table label={texts.tableLabel}>
    <TableHead>
      {groups.map((group) => (
        <SortCell key={group} by={group} sorting={sorting} onSort={onSort}>
          {GROUPS.find(({ value }) => value === group)!.label}
        </SortCell>
      ))}
      {COLUMNS.map(({ name, label }) => (
        <SortCell key={name} by={name} number sorting={sorting} onSort={onSort}>
          {label}
        </SortCell>
      ))}
    </TableHead>
    <TableBody>
      {rows.map((row) => (
        <Row key={groups.map((group) => String(row[group])).join('\n')}>
          {groups.map((group) => (
            <Cell
              key={group}
              className={classes('font-medium', group === 'day' ? 'whitespace-nowrap' : 'max-w-64 min-w-24')}
            >
              {groupText(row, group)}
            </Cell>
          ))}
          {COLUMNS.map(({ name, text }) => (
            <Cell key={name} className="text-right whitespace-nowrap">
              {text(row)}
            </Cell>
          ))}
        </Row>
      ))}
      <Row className="font-semibold">
        <Cell colSpan={groups.length}>{texts.totals}</Cell>
        {COLUMNS.map(({ name, text }) => (
          <Cell key={name} className="text-right whitespace-nowrap">
            {text(totals)}
          </Cell>
        ))}
      </Row>
    </TableBody>
  </Table>
)

interface SortCellProps {
  by: string
  /** The largest comes first, at the right of its cell. */
  number?: boolean
  sorting: Sorting | null
  onSort: (sort: string | undefined) => void
  children: ReactNode
}

/** A first click sorts, a second turns it around, a third gives the order of the server back. */
export function SortCell({ by, number = false, sorting, onSort, children }: SortCellProps) {
  const chosen = sorting?.by === by ? sorting : null
  const first = number ? `-${by}` : by
  const second = number ? by : `-${by}`
  const next = !chosen ? first : chosen.descending === number ? second : undefined
  const Arrow = chosen?.descending ? ArrowDown : ArrowUp
  return (
    <HeadCell
      aria-sort={chosen ? (chosen.descending ? 'descending' : 'ascending') : undefined}
      className={number ? 'text-right' : ''}
    >
      <button
        type="button"
        onClick={() => onSort(next)}
        className={classes(
          'inline-flex items-center gap-1 rounded-sm font-medium hover:text-text',
          chosen && 'text-text',
        )}
      >
        {children}
        {chosen && <Arrow aria-hidden className="size-3" />}
      </button>
    </HeadCell>
  )
}
