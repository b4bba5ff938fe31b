import type { UseQueryResult } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { Activity, Boxes, MessagesSquare } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge } from '../kit/badge'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { ErrorNotice } from '../kit/notices'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { RelativeTime } from '../kit/relative-time'
import { rowLink } from '../kit/table'
import { RunStatusIcon } from '../runs/status'
import { useRunTitle } from '../runs/title'
import { partnerOf, titleOf } from '../sessions/titles'
import { texts as dashboard } from '../texts/dashboard'
import { useLatestRuns, useLatestSessions, useModels } from './data'

const texts = dashboard.latest

export function LatestRuns() {
  const titleOf = useRunTitle()
  return (
    <Latest
      title={texts.runs.title}
      all="/runs"
      query={useLatestRuns()}
      failed={texts.runs.failed}
      empty={
        <EmptyState icon={<Activity aria-hidden />} title={texts.runs.empty} className="py-8">
          {texts.runs.hint}
        </EmptyState>
      }
      row={(run) => (
        <Row key={run.id} time={run.created_at}>
          <RunStatusIcon run={run} />
          <Link to="/runs/$id" params={{ id: run.id }} className={`${rowLink} shrink-0 max-w-1/2 truncate`}>
            {titleOf(run)}
          </Link>
          <span className="min-w-0 truncate text-muted">{(run.output || run.error || '').slice(0, 160)}</span>
        </Row>
      )}
    />
  )
}

export const LatestSessions = () => (
  <Latest
    title={texts.sessions.title}
    all="/sessions"
    query={useLatestSessions()}
    failed={texts.sessions.failed}
    empty={
      <EmptyState icon={<MessagesSquare aria-hidden />} title={texts.sessions.empty} className="py-8">
        {texts.sessions.hint}
      </EmptyState>
    }
    row={(session) => (
      <Row key={session.id} time={session.last_activity}>
        <Link to="/sessions/$id" params={{ id: session.id }} className={`${rowLink} min-w-0 truncate`}>
          {titleOf(session)}
        </Link>
        {partnerOf(session) && (
          <span className="shrink-0 text-xs text-faint max-sm:hidden">{partnerOf(session)}</span>
        )}
      </Row>
    )}
  />
)

const MODELS_SHOWN = 6

export const Models = () => (
  <Latest
    title={texts.models.title}
    all="/registries"
    query={useModels()}
    failed={texts.models.failed}
    most={MODELS_SHOWN}
    empty={
      <EmptyState icon={<Boxes aria-hidden />} title={texts.models.empty} className="py-6">
        {texts.models.hint}
      </EmptyState>
    }
    row={({ logicalId, binding, state }) => (
      <Row key={logicalId}>
        <span className="min-w-0 flex-1 truncate font-medium">{logicalId}</span>
        {state.resident ? (
          <Badge tone="good">{texts.models.inMemory}</Badge>
        ) : (
          <span className="shrink-0 text-xs text-faint">{binding.modality}</span>
        )}
      </Row>
    )}
  />
)

interface LatestProps<T> {
  title: string
  /** Where all of them are. */
  all: LinkProps['to']
  query: UseQueryResult<T[]>
  failed: string
  empty: ReactNode
  most?: number
  row: (item: T) => ReactNode
}

/** A short list with its loading, failed and empty state. */
const Latest = <T,>({ title, all, query, failed, empty, most, row }: LatestProps<T>) => (
  <Card
    flush
    title={title}
    actions={
      <Button asChild size="sm" variant="ghost" className="-mr-2.5">
        <Link to={all} aria-label={texts.showAllOf(title)}>
          {texts.showAll}
        </Link>
      </Button>
    }
  >
    {query.isPending && <SkeletonRows rows={3} />}
    {query.error && !query.data && (
      <ErrorNotice
        error={query.error}
        title={failed}
        onRetry={() => void query.refetch()}
        className="mx-4 mb-4"
      />
    )}
    {query.data?.length === 0 && empty}
    {query.data && query.data.length > 0 && (
      <ul className="divide-y divide-line border-t">{query.data.slice(0, most).map(row)}</ul>
    )}
  </Card>
)

const Row = ({ time, children }: { time?: string; children: ReactNode }) => (
  <li className="relative flex h-10 items-center gap-3 px-4 text-sm transition-colors duration-75 hover:bg-sunken/60">
    {children}
    {time && <RelativeTime value={time} className="ml-auto shrink-0 text-xs whitespace-nowrap text-faint" />}
  </li>
)
