import { Link, useSearch } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useMemo } from 'react'
import { classes } from '../kit/classes'
import { ErrorNotice } from '../kit/notices'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { RelativeTime } from '../kit/relative-time'
import { texts } from '../texts/runs'
import { useTrace } from '../trace/data'
import { shortDuration } from '../trace/format'
import { layOut } from '../trace/tree'
import { pairSteps, type Side, type StepPair } from './compare'
import { type Run, useRun } from './data'
import { durationMs, explain } from './describe'
import { RunPayloads } from './payloads'
import { RunStatusBadge } from './status'
import { useRunTitle } from './title'

/** Two runs beside each other: what came out, and what each step took. */
export function ComparePage() {
  const { a, b } = useSearch({ from: '/runs/compare' })
  return (
    <Page wide>
      <PageHeader
        title={texts.compare.title}
        back={
          <Link to="/runs" className="inline-flex items-center gap-1.5 hover:text-text">
            <ArrowLeft aria-hidden className="size-3.5" />
            {texts.title}
          </Link>
        }
      />
      {a && b ? (
        <Comparison a={a} b={b} />
      ) : (
        <EmptyState title={texts.compare.empty}>{texts.compare.hint}</EmptyState>
      )}
    </Page>
  )
}

function Comparison({ a, b }: { a: string; b: string }) {
  const [runA, runB] = [useRun(a), useRun(b)]
  const error = runA.error ?? runB.error
  if (error) return <ErrorNotice title={texts.failed} error={error} />
  if (!runA.data || !runB.data) return <SkeletonRows rows={6} label={texts.loading} />
  return (
    <>
      <div className="grid min-w-0 gap-4 md:grid-cols-2">
        <Overview label={texts.compare.a} run={runA.data} />
        <Overview label={texts.compare.b} run={runB.data} />
      </div>
      <Steps a={a} b={b} />
    </>
  )
}

const Overview = ({ label, run }: { label: string; run: Run }) => (
  <section aria-label={texts.compare.run(label)} className="flex min-w-0 flex-col gap-3">
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      <Link to="/runs/$id" params={{ id: run.id }} className="font-medium underline-offset-4 hover:underline">
        {label}: {useRunTitle()(run)}
      </Link>
      {run.graph_version && <span className="text-muted">{texts.compare.version(run.graph_version)}</span>}
      <RunStatusBadge run={run} />
      <span className="text-muted">{shortDuration(durationMs(run, Date.parse(run.updated_at)) * 1e6)}</span>
      <RelativeTime value={run.created_at} className="text-xs text-faint" />
    </header>
    {explain(run) && <p className="text-sm text-muted">{explain(run)!.message}</p>}
    <RunPayloads run={run} />
  </section>
)

function Steps({ a, b }: { a: string; b: string }) {
  const [traceA, traceB] = [useTrace(a), useTrace(b)]
  const pairs = useMemo(
    () => pairSteps(a, layOut(traceA.spans).rows, b, layOut(traceB.spans).rows),
    [a, b, traceA.spans, traceB.spans],
  )
  const longestNs = Math.max(
    1,
    ...pairs.flatMap((pair) => [pair.a, pair.b].map((side) => side?.durationNs ?? 0)),
  )
  return (
    <section
      aria-label={texts.compare.steps}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-[36rem] overflow-auto rounded-xl border bg-surface shadow-card"
    >
      <table className="w-full min-w-120 text-sm">
        <thead className="sticky top-0 bg-surface text-left text-xs text-faint">
          <tr>
            <th className="px-3 py-2 font-medium">{texts.compare.step}</th>
            <th className="w-1/4 px-3 py-2 font-medium">{texts.compare.a}</th>
            <th className="w-1/4 px-3 py-2 font-medium">{texts.compare.b}</th>
            <th className="w-28 px-3 py-2 text-right font-medium">{texts.compare.difference}</th>
          </tr>
        </thead>
        <tbody>
          {pairs.slice(0, MOST_STEPS).map((pair) => (
            <StepRow key={pair.key} pair={pair} a={a} b={b} longestNs={longestNs} />
          ))}
        </tbody>
      </table>
      {pairs.length > MOST_STEPS && (
        <p className="border-t px-3 py-2 text-xs text-muted">
          {texts.compare.firstSteps(MOST_STEPS, pairs.length)}
        </p>
      )}
    </section>
  )
}

/** A table is read, not searched: further down nobody compares by eye. */
const MOST_STEPS = 500

const StepRow = ({ pair, a, b, longestNs }: { pair: StepPair; a: string; b: string; longestNs: number }) => (
  <tr className="border-t">
    <td
      className="max-w-0 truncate px-3 py-1.5"
      style={{ paddingLeft: 12 + pair.depth * 14 }}
      title={pair.name}
    >
      {pair.name}
    </td>
    <SideCell runId={a} side={pair.a} longestNs={longestNs} />
    <SideCell runId={b} side={pair.b} longestNs={longestNs} />
    <td className="px-3 py-1.5 text-right text-xs text-muted tabular-nums">{difference(pair)}</td>
  </tr>
)

const SideCell = ({ runId, side, longestNs }: { runId: string; side: Side | null; longestNs: number }) => (
  <td className="px-3 py-1.5">
    {side ? (
      <Link
        to="/runs/$id"
        params={{ id: runId }}
        search={{ span: side.spanId }}
        className="flex flex-col gap-1 text-xs hover:text-accent"
      >
        {said(side)}
        <span aria-hidden className="h-1 w-full rounded-full bg-sunken">
          <span
            className={classes(
              'block h-full rounded-full',
              side.status === 'err' ? 'bg-bad' : 'bg-accent/60',
            )}
            style={{ width: `${((side.durationNs ?? 0) / longestNs) * 100}%` }}
          />
        </span>
      </Link>
    ) : (
      <span className="text-xs text-faint">{texts.compare.missing}</span>
    )}
  </td>
)

function said({ status, durationNs }: Side): string {
  if (durationNs === null) return texts.compare.untimed[status]
  const duration = shortDuration(durationNs)
  return status === 'err' ? texts.compare.failedAfter(duration) : duration
}

function difference({ a, b }: StepPair): string {
  if (a?.durationNs == null || b?.durationNs == null) return ''
  const change = b.durationNs - a.durationNs
  return `${change < 0 ? '−' : '+'}${shortDuration(Math.abs(change))}`
}
