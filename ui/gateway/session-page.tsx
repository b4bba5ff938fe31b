import { Link, useParams } from '@tanstack/react-router'
import { Archive, ArrowLeft } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import type { GatewaySession } from '../../src/control/gateways/reports/schema'
import { ApiError } from '../api'
import { useAccount } from '../auth/data'
import { Badge } from '../kit/badge'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { ErrorNotice } from '../kit/notices'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState, Skeleton } from '../kit/placeholders'
import { RelativeTime } from '../kit/relative-time'
import { texts } from '../texts/gateway-reports'
import { count, short } from '../texts/words'
import { useTimeline } from './data'
import { clientName, costText, developerName, share, tokensOf } from './format'
import { joined, layOut } from './timeline'
import { TimelineView } from './timeline-view'

export function GatewaySessionPage() {
  const { id } = useParams({ from: '/gateway/sessions/$id' })
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useTimeline(id)
  const session = data?.pages[0]?.session
  const layout = useMemo(() => layOut(joined((data?.pages ?? []).map(({ agents }) => agents))), [data])
  if (error && !data) return <Failed error={error} onRetry={() => void refetch()} />
  return (
    <Page wide>
      <PageHeader
        title={session ? session.project || texts.session.withoutProject : texts.session.title}
        back={<BackLink />}
        aside={session?.archived && <Badge icon={<Archive aria-hidden />}>{texts.sessions.archived}</Badge>}
        description={session && <code className="text-xs">{session.id}</code>}
      />
      {!session ? (
        <Loading />
      ) : (
        <>
          <Facts session={session} />
          {layout.agents.length === 0 ? (
            <Archived session={session} />
          ) : (
            <TimelineView sessionId={id} layout={layout} />
          )}
          {hasNextPage && (
            <div className="flex justify-center">
              <Button pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                {texts.session.showMore}
              </Button>
            </div>
          )}
        </>
      )}
    </Page>
  )
}

const BackLink = () => (
  <Link
    to="/gateway"
    search={{ tab: 'sessions' }}
    className="inline-flex items-center gap-1.5 hover:text-text"
  >
    <ArrowLeft aria-hidden className="size-3.5" />
    {texts.sessions.title}
  </Link>
)

function Facts({ session }: { session: GatewaySession }) {
  const isAdmin = useAccount().role === 'admin'
  const allInput = session.input + session.cache_read + session.cache_write
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 rounded-xl border bg-surface p-4 shadow-card sm:grid-cols-4 lg:flex lg:flex-wrap lg:gap-x-10">
      {isAdmin && (
        <Fact label={texts.fields.developer}>{developerName(session.developer_name, session.developer)}</Fact>
      )}
      <Fact label={texts.fields.client}>{clientName(session.client)}</Fact>
      <Fact label={texts.fields.model}>{session.model || '–'}</Fact>
      <Fact label={texts.fields.turns}>
        {count(session.turns)} <Small>{texts.session.inRequests(session.requests)}</Small>
      </Fact>
      <Fact label={texts.fields.toolCalls}>{count(session.tools)}</Fact>
      <Fact label={texts.fields.tokens}>
        {short(tokensOf(session))}{' '}
        <Small>{texts.session.cached(share(allInput > 0 ? session.cache_read / allInput : null))}</Small>
      </Fact>
      <Fact label={texts.fields.cost}>{costText(session)}</Fact>
      <Fact label={texts.fields.errors}>
        {count(session.errors)} <Small>{texts.session.retries(session.retries)}</Small>
      </Fact>
      <Fact label={texts.fields.lastActivity}>
        <RelativeTime value={session.last_at} />
      </Fact>
    </dl>
  )
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-xs text-muted">{label}</dt>
    <dd className="text-sm font-medium">{children}</dd>
  </div>
)

const Small = ({ children }: { children: ReactNode }) => (
  <span className="text-xs font-normal text-muted">{children}</span>
)

const Archived = ({ session }: { session: GatewaySession }) => (
  <Card>
    <EmptyState icon={<Archive aria-hidden />} title={texts.session.inArchives}>
      {session.archived ? texts.session.inArchivesHint : texts.session.noDetail}
    </EmptyState>
  </Card>
)

const Failed = ({ error, onRetry }: { error: unknown; onRetry: () => void }) => (
  <Page>
    <PageHeader title={texts.session.title} back={<BackLink />} />
    {error instanceof ApiError && error.status === 404 ? (
      <EmptyState
        title={texts.session.notFound}
        action={
          <Button asChild>
            <Link to="/gateway" search={{ tab: 'sessions' }}>
              {texts.session.showAll}
            </Link>
          </Button>
        }
      >
        {texts.session.notFoundHint}
      </EmptyState>
    ) : (
      <ErrorNotice error={error} title={texts.session.failed} onRetry={onRetry} />
    )}
  </Page>
)

const Loading = () => (
  <div role="status" className="flex flex-col gap-4">
    <span className="sr-only">{texts.session.loading}</span>
    <Skeleton className="h-20 w-full rounded-xl" />
    <Skeleton className="h-72 w-full rounded-xl" />
  </div>
)
