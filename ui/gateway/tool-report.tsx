import { useState } from 'react'
import { Card } from '../kit/card'
import { ErrorNotice } from '../kit/notices'
import { Cell, Row, Table, TableBody, TableHead } from '../kit/table'
import { texts } from '../texts/gateway-reports'
import { count } from '../texts/words'
import { bytes } from '../trace/format'
import { sortingOf } from './columns'
import { type ReportFilters, useToolReport } from './data'
import { share } from './format'
import { SortCell } from './report-table'

const NUMBERS = [
  { name: 'calls', label: texts.toolReport.calls },
  { name: 'errors', label: texts.fields.errors },
  { name: 'error_share', label: texts.toolReport.errorShare },
  { name: 'result_bytes', label: texts.toolReport.results },
] as const

/** Tools that models called. They know of no model, so that filter does not count here. */
export function ToolReport({ filters }: { filters: ReportFilters }) {
  const { data, error, refetch } = useToolReport(filters)
  const [sort, setSort] = useState<string | undefined>()
  const sorting = sortingOf(sort)
  if (error) {
    return <ErrorNotice error={error} title={texts.toolReport.failed} onRetry={() => void refetch()} />
  }
  if (!data || data.tools.length === 0) return null
  const tools = !sorting
    ? data.tools
    : data.tools.toSorted((a, b) => {
        const direction = sorting.descending ? -1 : 1
        const column = NUMBERS.find(({ name }) => name === sorting.by)?.name
        return column
          ? direction * ((a[column] ?? -1) - (b[column] ?? -1))
          : direction * a.tool.localeCompare(b.tool)
      })
  return (
    <Card flush title={texts.toolReport.title} description={texts.toolReport.description}>
      <Table label={texts.toolReport.title}>
        <TableHead>
          <SortCell by="tool" sorting={sorting} onSort={setSort}>
            {texts.toolReport.tool}
          </SortCell>
          {NUMBERS.map(({ name, label }) => (
            <SortCell key={name} by={name} number sorting={sorting} onSort={setSort}>
              {label}
            </SortCell>
          ))}
        </TableHead>
        <TableBody>
          {tools.map((tool) => (
            <Row key={tool.tool}>
              <Cell className="font-medium">{tool.tool}</Cell>
              <Cell className="text-right">{count(tool.calls)}</Cell>
              <Cell className="text-right">{count(tool.errors)}</Cell>
              <Cell className="text-right">{share(tool.error_share)}</Cell>
              <Cell className="text-right whitespace-nowrap">{bytes(tool.result_bytes)}</Cell>
            </Row>
          ))}
        </TableBody>
      </Table>
    </Card>
  )
}
