import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ArrowLeft, MessageSquare, Square } from 'lucide-react'
import { ApiError } from '../api'
import { Button } from '../kit/button'
import { CopyButton } from '../kit/copying'
import { ErrorNotice, Notice } from '../kit/notices'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState, Skeleton } from '../kit/placeholders'
import { RelativeTime } from '../kit/relative-time'
import { useNow } from '../kit/use-now'
import { Worded } from '../kit/worded'
import { texts } from '../texts/runs'
import { shortDuration } from '../trace/format'
import { TracePane } from '../trace/pane'
import { GatePanel } from '../waiting/gate-panel'
import { AgainButton, AgainFrom } from './again'
import { useBegun } from './begun'
import { CompareButton } from './compare-menu'
import { type Run, useCancelRun, useRun } from './data'
import { durationMs, explain, isUnfinished } from './describe'
import { GraphCard } from './graph-card'
import { RunPayloads } from './payloads'
import { RunStatusBadge } from './status'
import { useRunTitle } from './title'

export function RunPage() {
  const { id } = useParams({ from: '/runs/$id' })
  const { span } = useSearch({ from: '/runs/$id' })
  const navigate = useNavigate()
  const { data: run, error, refetch } = useRun(id)
  useBegun(run)
  const titleOf = useRunTitle()
  const select = (next: string | null) =>
    void navigate({
      to: '/runs/$id',
      params: { id },
      search: next ? { span: next } : {},
      replace: true,
      // Another span is no other page: everything stays where it was scrolled to.
      resetScroll: false,
    })
  if (error) return <Failed id={id} error={error} onRetry={() => void refetch()} />
  return (
    <Page wide>
      <PageHeader
        title={run ? titleOf(run) : texts.run.title}
        back={<BackLink />}
        aside={run && <RunStatusBadge run={run} />}
        actions={run && <Actions run={run} />}
      />
      {run ? (
        <>
          <Facts run={run} />
          <Outcome run={run} />
          <GatePanel key={`gate ${id}`} run={run} />
          <TracePane
            key={id}
            runId={id}
            selected={span ?? null}
            stepActions={(row) => <AgainFrom run={run} row={row} />}
            above={(spans) => <GraphCard run={run} spans={spans} selected={span ?? null} onSelect={select} />}
            onSelect={select}
          >
            <RunPayloads run={run} />
          </TracePane>
        </>
      ) : (
        <Loading />
      )}
    </Page>
  )
}

const BackLink = () => (
  <Link to="/runs" className="inline-flex items-center gap-1.5 hover:text-text">
    <ArrowLeft aria-hidden className="size-3.5" />
    {texts.title}
  </Link>
)

function Actions({ run }: { run: Run }) {
  const cancel = useCancelRun(run.id)
  return (
    <>
      {isUnfinished(run) && (
        <Button
          icon={<Square aria-hidden className="size-3" />}
          pending={cancel.isPending}
          onClick={() => cancel.mutate()}
        >
          {texts.run.stop}
        </Button>
      )}
      {!isUnfinished(run) && <AgainButton run={run} />}
      {!isUnfinished(run) && <CompareButton run={run} />}
      {run.session_id && (
        <Button asChild>
          <Link to="/chat" search={{ session: run.session_id }}>
            <MessageSquare aria-hidden className="size-3.5" />
            {texts.run.openChat}
          </Link>
        </Button>
      )}
    </>
  )
}

function Facts({ run }: { run: Run }) {
  const now = useNow(isUnfinished(run), 100)
  return (
    <dl className="-mt-3 flex flex-wrap gap-x-6 gap-y-1 text-sm text-muted">
      <div className="flex gap-1.5">
        <dt>{texts.run.started}</dt>
        <dd className="text-text">
          <RelativeTime value={run.created_at} />
        </dd>
      </div>
      <div className="flex gap-1.5">
        <dt>{isUnfinished(run) ? texts.run.runsFor : texts.run.took}</dt>
        <dd className="text-text">{shortDuration(durationMs(run, now) * 1e6)}</dd>
      </div>
      {run.parent_run_id && (
        <div className="flex gap-1.5">
          <dt>{texts.run.begunFrom}</dt>
          <dd className="text-text">
            <Link to="/runs/$id" params={{ id: run.parent_run_id }} className="underline underline-offset-2">
              {texts.run.earlierRun}
            </Link>
          </dd>
        </div>
      )}
      {run.trigger_id && run.graph_id && (
        <div className="flex gap-1.5">
          <dt>{texts.run.startedBy}</dt>
          <dd className="text-text">
            <Link
              to="/agents/$id"
              params={{ id: run.graph_id }}
              search={{ tab: 'triggers' }}
              className="underline underline-offset-2"
            >
              {texts.run.trigger}
            </Link>
          </dd>
        </div>
      )}
      <div className="flex min-w-0 items-center gap-1.5">
        <dt>{texts.run.id}</dt>
        <dd className="flex min-w-0 items-center font-mono text-xs text-text">
          <span className="truncate">{run.id}</span>
          <CopyButton text={run.id} label={texts.run.copyId} className="-my-2" />
        </dd>
      </div>
    </dl>
  )
}

function Outcome({ run }: { run: Run }) {
  const explanation = explain(run)
  if (!explanation) return null
  const { kind, title, message, help } = explanation
  if (kind === 'error') return <ErrorNotice title={title} error={message} help={help} />
  return (
    <Notice>
      <p className="font-medium">{title}</p>
      <p>{message}</p>
      {help && <p className="text-muted">{help}</p>}
    </Notice>
  )
}

const Loading = () => (
  <div role="status" className="flex flex-col gap-6">
    <span className="sr-only">{texts.run.loading}</span>
    <Skeleton className="h-5 w-72" />
    <Skeleton className="h-48 w-full rounded-xl" />
  </div>
)

const Failed = ({ id, error, onRetry }: { id: string; error: Error; onRetry: () => void }) => (
  <Page>
    <PageHeader title={texts.run.title} back={<BackLink />} />
    {error instanceof ApiError && error.code === 'run_not_found' ? (
      <EmptyState
        title={texts.run.missing.title}
        action={
          <Button asChild variant="primary">
            <Link to="/runs">{texts.run.missing.seeAll}</Link>
          </Button>
        }
      >
        <Worded text={texts.run.missing.hint} with={{ id: <code className="text-xs">{id}</code> }} />
      </EmptyState>
    ) : (
      <ErrorNotice title={texts.run.failed} error={error} onRetry={onRetry} />
    )}
  </Page>
)
