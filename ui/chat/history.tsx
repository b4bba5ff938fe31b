import { Link, useNavigate } from '@tanstack/react-router'
import { MessagesSquare, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../kit/button'
import { classes } from '../kit/classes'
import { ErrorNotice } from '../kit/notices'
import { SkeletonRows } from '../kit/placeholders'
import { RelativeTime } from '../kit/relative-time'
import { DeleteSession } from '../sessions/delete-session'
import { titleOf } from '../sessions/titles'
import { texts } from '../texts/chat'
import { type SessionSummary, useSessions } from './data'

interface HistoryProps {
  current: string | undefined
  onPick?: () => void
}

/** The conversations so far, those last used first. */
export function History({ current, onPick }: HistoryProps) {
  const { data: sessions, error, refetch } = useSessions()
  const [doomed, setDoomed] = useState<SessionSummary | null>(null)
  const navigate = useNavigate()
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2">
      <Button asChild className="w-full">
        <Link to="/chat" onClick={onPick}>
          <Plus aria-hidden className="size-3.5" />
          {texts.newChat}
        </Link>
      </Button>
      {error ? (
        <ErrorNotice title={texts.history.failed} error={error} onRetry={() => void refetch()} />
      ) : !sessions ? (
        <SkeletonRows rows={4} label={texts.history.loading} />
      ) : sessions.length === 0 ? (
        <p className="flex flex-col items-center gap-2 px-3 py-8 text-center text-sm text-muted">
          <MessagesSquare aria-hidden className="size-5 text-faint" />
          {texts.history.empty}
        </p>
      ) : (
        <ul
          aria-label={texts.chats}
          className="-mx-1 flex min-h-0 flex-1 flex-col gap-0.5 overflow-y-auto px-1"
        >
          {sessions.map((session) => (
            <Item
              key={session.id}
              session={session}
              active={session.id === current}
              onPick={onPick}
              onDelete={() => setDoomed(session)}
            />
          ))}
        </ul>
      )}
      {doomed && (
        <DeleteSession
          id={doomed.id}
          title={titleOf(doomed)}
          onClose={() => setDoomed(null)}
          onDeleted={() => doomed.id === current && void navigate({ to: '/chat' })}
        />
      )}
    </div>
  )
}

interface ItemProps {
  session: SessionSummary
  active: boolean
  onPick?: () => void
  onDelete: () => void
}

const Item = ({ session, active, onPick, onDelete }: ItemProps) => (
  <li
    className={classes(
      'group/item relative flex items-center rounded-md',
      active ? 'bg-sunken' : 'hover:bg-sunken/60',
    )}
  >
    <Link
      to="/chat"
      search={{ session: session.id }}
      onClick={onPick}
      aria-current={active ? 'true' : undefined}
      className="flex min-w-0 flex-1 flex-col rounded-md px-2.5 py-1.5 -outline-offset-2"
    >
      <span className={classes('truncate text-sm', active ? 'font-medium text-text' : 'text-text')}>
        {titleOf(session)}
      </span>
      <RelativeTime value={session.last_activity} className="text-xs text-faint" />
    </Link>
    <IconButton
      label={texts.history.delete(titleOf(session))}
      size="sm"
      icon={<Trash2 aria-hidden className="size-3.5" />}
      onClick={onDelete}
      className="mr-1 opacity-0 group-focus-within/item:opacity-100 group-hover/item:opacity-100 pointer-coarse:opacity-100"
    />
  </li>
)
