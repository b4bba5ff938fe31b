import { Link } from '@tanstack/react-router'
import { MessageSquarePlus, MessagesSquare, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { SessionSummary } from '../../src/control/sessions/schema'
import { Button, IconButton } from '../kit/button'
import { Card } from '../kit/card'
import { ErrorNotice } from '../kit/notices'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { RelativeTime } from '../kit/relative-time'
import { rowLink } from '../kit/table'
import { texts as sessions } from '../texts/sessions'
import { useSessions } from './data'
import { DeleteSession } from './delete-session'
import { partnerOf, titleOf } from './titles'

const texts = sessions.list

export const SessionsPage = () => (
  <Page>
    <PageHeader
      title={texts.title}
      description={texts.description}
      actions={
        <Button asChild variant="primary">
          <Link to="/chat">
            <MessageSquarePlus aria-hidden className="size-4" />
            {texts.newChat}
          </Link>
        </Button>
      }
    />
    <SessionList />
  </Page>
)

function SessionList() {
  const sessions = useSessions()
  const [leaving, setLeaving] = useState<SessionSummary | null>(null)
  const all = sessions.data?.pages.flat() ?? []
  return (
    <Card flush>
      {sessions.isPending && <SkeletonRows rows={6} label={texts.loading} />}
      {sessions.error && (
        <ErrorNotice
          error={sessions.error}
          title={texts.failed}
          onRetry={() => void sessions.refetch()}
          className="m-4"
        />
      )}
      {sessions.data && all.length === 0 && (
        <EmptyState
          icon={<MessagesSquare aria-hidden />}
          title={texts.empty}
          action={
            <Button asChild variant="primary">
              <Link to="/chat">{texts.start}</Link>
            </Button>
          }
        >
          {texts.emptyHint}
        </EmptyState>
      )}
      <ul className="divide-y divide-line">
        {all.map((session) => (
          <SessionRow key={session.id} session={session} onDelete={() => setLeaving(session)} />
        ))}
      </ul>
      {sessions.hasNextPage && (
        <div className="flex justify-center border-t p-3">
          <Button pending={sessions.isFetchingNextPage} onClick={() => void sessions.fetchNextPage()}>
            {texts.showOlder}
          </Button>
        </div>
      )}
      {leaving && <DeleteSession id={leaving.id} title={titleOf(leaving)} onClose={() => setLeaving(null)} />}
    </Card>
  )
}

function SessionRow({ session, onDelete }: { session: SessionSummary; onDelete: () => void }) {
  const title = titleOf(session)
  return (
    <li className="relative flex items-center gap-3 px-4 py-2.5 transition-colors duration-75 hover:bg-sunken/60">
      <div className="min-w-0 flex-1">
        <Link to="/sessions/$id" params={{ id: session.id }} className={`${rowLink} block truncate text-sm`}>
          {title}
        </Link>
        <p className="truncate text-xs text-muted">
          {[partnerOf(session), texts.messages(session.message_count)].filter(Boolean).join(' · ')}
          <span className="sm:hidden">
            {' · '}
            <RelativeTime value={session.last_activity} />
          </span>
        </p>
      </div>
      <RelativeTime
        value={session.last_activity}
        className="shrink-0 text-xs whitespace-nowrap text-faint max-sm:hidden"
      />
      <IconButton
        size="sm"
        label={texts.delete(title.slice(0, 60))}
        icon={<Trash2 aria-hidden className="size-4" />}
        onClick={onDelete}
        className="relative"
      />
    </li>
  )
}
