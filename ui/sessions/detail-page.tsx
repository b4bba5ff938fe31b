import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { ChevronLeft, MessageSquare, MessagesSquare, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Message, Session } from '../../src/control/sessions/schema'
import { RichText } from '../chat/rich-text'
import { Badge } from '../kit/badge'
import { Button, IconButton } from '../kit/button'
import { CopyButton } from '../kit/copying'
import { ErrorNotice } from '../kit/notices'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState, Skeleton } from '../kit/placeholders'
import { RelativeTime } from '../kit/relative-time'
import { Worded } from '../kit/worded'
import { texts as sessions } from '../texts/sessions'
import { useSession } from './data'
import { DeleteSession } from './delete-session'
import { partnerOf, titleOf } from './titles'

const texts = sessions.detail

const back = (
  <Link to="/sessions" className="inline-flex items-center gap-1 rounded-md hover:text-text">
    <ChevronLeft aria-hidden className="size-4" />
    {texts.back}
  </Link>
)

/** A title is often the whole first message. */
const TITLE_CHARACTERS = 80

/** A conversation as it was, to read. */
export function SessionPage() {
  const { id } = useParams({ from: '/sessions/$id' })
  const session = useSession(id)
  if (session.data) return <Transcript session={session.data} />
  return (
    <Page>
      <PageHeader title={texts.title} back={back} />
      {session.error ? (
        <ErrorNotice error={session.error} title={texts.failed} onRetry={() => void session.refetch()} />
      ) : (
        <div role="status" className="flex flex-col gap-4">
          <span className="sr-only">{texts.loading}</span>
          <Skeleton className="ml-auto h-16 w-3/5 rounded-xl" />
          <Skeleton className="h-40 w-full rounded-xl" />
        </div>
      )}
    </Page>
  )
}

function Transcript({ session }: { session: Session }) {
  const { id, messages, metadata } = session
  const [leaving, setLeaving] = useState(false)
  const navigate = useNavigate()
  const title = titleOf({ metadata, preview: messages.find(({ role }) => role === 'user')?.content })
  const partner = partnerOf(session)
  return (
    <Page>
      <PageHeader
        title={title.length > TITLE_CHARACTERS ? `${title.slice(0, TITLE_CHARACTERS)}…` : title}
        back={back}
        aside={partner && <Badge>{partner}</Badge>}
        description={
          <Worded
            text={texts.times}
            with={{
              created: <RelativeTime value={session.created_at} />,
              updated: <RelativeTime value={session.updated_at} />,
            }}
          />
        }
        actions={
          <>
            <IconButton
              label={texts.delete}
              variant="secondary"
              icon={<Trash2 aria-hidden className="size-4" />}
              onClick={() => setLeaving(true)}
            />
            <Button asChild variant="primary">
              <Link to="/chat" search={{ session: id }}>
                <MessageSquare aria-hidden className="size-4" />
                {texts.continue}
              </Link>
            </Button>
          </>
        }
      />
      {messages.length === 0 ? (
        <EmptyState icon={<MessagesSquare aria-hidden />} title={texts.empty}>
          {texts.emptyHint}
        </EmptyState>
      ) : (
        <ol className="mx-auto flex w-full max-w-3xl flex-col gap-6" aria-label={texts.messages}>
          {messages.map((message) => (
            <Said key={message.id} message={message} />
          ))}
        </ol>
      )}
      {leaving && (
        <DeleteSession
          id={id}
          title={title}
          onClose={() => setLeaving(false)}
          onDeleted={() => void navigate({ to: '/sessions' })}
        />
      )}
    </Page>
  )
}

const Said = ({ message: { role, content, run_id, created_at } }: { message: Message }) => (
  <li className={role === 'user' ? 'flex flex-col items-end' : 'flex flex-col items-start'}>
    <p className="sr-only">{role === 'user' ? texts.question : texts.answer}</p>
    {role === 'user' ? (
      <div className="max-w-[85%] rounded-xl bg-sunken px-3.5 py-2.5 whitespace-pre-wrap">{content}</div>
    ) : (
      <RichText text={content} />
    )}
    <div className="mt-1 flex items-center gap-2 text-xs text-faint">
      <RelativeTime value={created_at} />
      {role === 'assistant' && run_id && (
        <Link
          to="/runs/$id"
          params={{ id: run_id }}
          className="rounded-sm text-muted underline decoration-line-strong underline-offset-2 hover:text-text"
        >
          {texts.showRun}
        </Link>
      )}
      <CopyButton text={content} label={role === 'user' ? texts.copyQuestion : texts.copyAnswer} />
    </div>
  </li>
)
