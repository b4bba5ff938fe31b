import { useNavigate, useSearch } from '@tanstack/react-router'
import { Download, SearchX } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { ErrorNotice, Notice } from '../kit/notices'
import { EmptyState, Skeleton, SkeletonRows } from '../kit/placeholders'
import { saveFile } from '../kit/save-file'
import { texts as reports } from '../texts/gateway-reports'
import { csvTable, type Group, groupsOf, sorted, sortingOf } from './columns'
import { csvOf } from './csv'
import { type Report, type ReportFilters, useReport } from './data'
import { ReportBuilder } from './report-builder'
import { ReportTable } from './report-table'
import { ToolReport } from './tool-report'

const texts = reports.report

// The library that draws comes with the first chart.
const DayChart = lazy(() => import('./day-chart').then((it) => ({ default: it.DayChart })))

export function ReportsTab() {
  const { group, sort, tab: _, ...filters } = useSearch({ from: '/gateway' })
  const navigate = useNavigate({ from: '/gateway' })
  const groups = groupsOf(group)
  const report = useReport(filters, groups)
  const sorting = sortingOf(sort)
  const rows = sorted(report.data?.rows ?? [], sorting)
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <ReportBuilder
        groups={groups}
        filters={filters}
        shown={report.data}
        onChange={(change) =>
          void navigate({ search: (now) => ({ ...now, ...change }), replace: true, resetScroll: false })
        }
      />
      {report.error && (
        <ErrorNotice error={report.error} title={texts.failed} onRetry={() => void report.refetch()} />
      )}
      <Days filters={filters} />
      <Card
        flush
        title={texts.title}
        description={report.data && rangeText(report.data)}
        actions={
          rows.length > 0 && (
            <Button
              icon={<Download aria-hidden className="size-4" />}
              onClick={() => download(rows, groups, report.data!)}
            >
              {texts.csv}
            </Button>
          )
        }
      >
        {report.isPending && <SkeletonRows rows={5} label={texts.loading} />}
        {report.data && rows.length === 0 && <NothingFits />}
        {report.data && rows.length > 0 && (
          <ReportTable
            rows={rows}
            groups={groups}
            totals={report.data.totals}
            sorting={sorting}
            onSort={(next) =>
              void navigate({ search: (now) => ({ ...now, sort: next }), replace: true, resetScroll: false })
            }
          />
        )}
        {report.data?.more && (
          <div className="border-t p-3">
            <Notice>{texts.more(report.data.rows.length)}</Notice>
          </div>
        )}
      </Card>
      <ToolReport filters={filters} />
    </div>
  )
}

function Days({ filters }: { filters: ReportFilters }) {
  const { data } = useReport(filters, ['day'])
  if (!data) return <Skeleton className="h-72 w-full rounded-xl" />
  if (data.rows.length === 0) return null
  return (
    <Suspense fallback={<Skeleton className="h-72 w-full rounded-xl" />}>
      <DayChart report={data} />
    </Suspense>
  )
}

const rangeText = ({ from, to, totals }: Report): string => texts.range(totals.requests, from, to)

function download(rows: Report['rows'], groups: readonly Group[], { from, to }: Report) {
  const table = csvTable(rows, groups)
  saveFile(
    `gateway-${groups.join('-')}-${from}-${to}.csv`,
    csvOf(table.header, table.rows),
    'text/csv;charset=utf-8',
  )
}

const NothingFits = () => (
  <EmptyState icon={<SearchX aria-hidden />} title={texts.empty}>
    {texts.hint}
  </EmptyState>
)
