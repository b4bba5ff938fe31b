import { Link } from '@tanstack/react-router'
import { Waypoints } from 'lucide-react'
import { useAccount } from '../auth/data'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { ErrorNotice, Notice } from '../kit/notices'
import { EmptyState, Skeleton } from '../kit/placeholders'
import { useNow } from '../kit/use-now'
import { texts as reports } from '../texts/gateway-reports'
import { count, short } from '../texts/words'
import { type Report, useGateways, useRecentSessions, useReport } from './data'
import { FirstRun } from './first-run'
import { money, share, tokensOf } from './format'
import { GatewayHealth } from './gateway-health'
import { SessionTable } from './session-table'
import { SetupGuide } from './setup-guide'

const texts = reports.overview

const LIVE_MS = 5 * 60_000
const LATEST = 6
const MINUTE_MS = 60_000

/** The last 30 days, and what is going on now. */
export function OverviewTab() {
  const isAdmin = useAccount().role === 'admin'
  const report = useReport({}, ['day'], true)
  const gateways = useGateways(isAdmin)
  const untold = (gateways.data ?? []).filter(
    ({ config_version, enabled, heartbeat }) => config_version === 0 && enabled && heartbeat !== null,
  )
  if (report.isPending) return <Loading />
  if (!report.data) {
    return <ErrorNotice error={report.error} title={texts.failed} onRetry={() => void report.refetch()} />
  }
  return (
    <div className="flex min-w-0 flex-col gap-6">
      {isAdmin && <FirstRun gateways={untold} />}
      <Gaps gaps={report.data.gaps} />
      {report.data.totals.requests === 0 ? <NothingYet /> : <Figures totals={report.data.totals} />}
      {isAdmin && <GatewayHealth />}
      {report.data.totals.requests > 0 && <LatestSessions />}
    </div>
  )
}

function Figures({ totals }: { totals: Report['totals'] }) {
  const unpriced = totals.unpriced > 0
  return (
    <section aria-label={texts.figures.label}>
      <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure
          label={texts.figures.spend}
          value={unpriced && totals.cost === 0 ? texts.figures.unpriced : money(totals.cost)}
          note={
            unpriced ? texts.figures.unpricedNote(totals.unpriced) : texts.figures.spendNote(totals.requests)
          }
        />
        <Figure
          label={texts.figures.tokens}
          value={short(tokensOf(totals))}
          note={texts.figures.tokensNote(share(totals.cache_hit_share))}
        />
        <Figure
          label={texts.figures.errors}
          value={count(totals.errors)}
          note={texts.figures.errorsNote(totals.retries, totals.aborts)}
        />
        <LiveSessions />
      </dl>
    </section>
  )
}

function LiveSessions() {
  const sessions = useRecentSessions()
  const now = useNow(true, MINUTE_MS)
  const live = sessions.data?.filter(({ last_at }) => now - Date.parse(last_at) < LIVE_MS)
  return (
    <Figure
      label={texts.figures.live}
      value={live ? count(live.length) : sessions.isError ? '–' : '…'}
      note={texts.figures.liveNote}
    />
  )
}

const Figure = ({ label, value, note }: { label: string; value: string; note: string }) => (
  <div className="flex min-w-0 flex-col gap-1 rounded-xl border bg-surface px-4 py-3.5 shadow-card">
    <dt className="text-xs text-muted">{label}</dt>
    <dd className="text-2xl font-semibold tracking-tight">{value}</dd>
    <dd className="text-xs text-muted">{note}</dd>
  </div>
)

/** What was forwarded and could not be recorded would make every figure too small, silently. */
function Gaps({ gaps }: { gaps: Report['gaps'] }) {
  if (gaps.length === 0) return null
  const dropped = gaps.reduce((sum, gap) => sum + gap.dropped, 0)
  return <Notice tone="warn">{texts.gaps(dropped)}</Notice>
}

function LatestSessions() {
  const { data, error, refetch } = useRecentSessions()
  return (
    <Card
      flush
      title={texts.latest.title}
      actions={
        <Button asChild size="sm" variant="ghost" className="-mr-2.5">
          <Link to="/gateway" search={{ tab: 'sessions' }} aria-label={texts.latest.showAllLabel}>
            {texts.latest.showAll}
          </Link>
        </Button>
      }
    >
      {error && !data && (
        <ErrorNotice
          error={error}
          title={texts.latest.failed}
          onRetry={() => void refetch()}
          className="mx-4 mb-4"
        />
      )}
      {data && <SessionTable sessions={data.slice(0, LATEST)} />}
    </Card>
  )
}

const NothingYet = () => (
  <>
    <Card>
      <EmptyState icon={<Waypoints aria-hidden />} title={texts.empty} className="py-6">
        {texts.hint}
      </EmptyState>
    </Card>
    <SetupGuide />
  </>
)

const Loading = () => (
  <div role="status" className="flex flex-col gap-6">
    <span className="sr-only">{texts.loading}</span>
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      {['spend', 'tokens', 'errors', 'sessions'].map((name) => (
        <Skeleton key={name} className="h-26 w-full rounded-xl" />
      ))}
    </div>
    <Skeleton className="h-48 w-full rounded-xl" />
  </div>
)
