import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ArrowDown, History as HistoryIcon, MessageCirclePlus } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { Modality } from '../../src/inference/models/schema'
import { Button, IconButton } from '../kit/button'
import { ErrorNotice } from '../kit/notices'
import { useDocumentTitle } from '../kit/page-header'
import { useMedia } from '../kit/use-media'
import type { ModelView } from '../registries/data'
import { titleOf } from '../sessions/titles'
import { texts } from '../texts/chat'
import { isOver } from './answer'
import { Composer } from './composer'
import { cancelRun, newSessionId, rewind, useConversations, useLiveTurns, useStoredSession } from './data'
import { type ChatInput, textOf } from './input'
import { asQuestion, type Partner, partnerIn, partnerOf } from './partner'
import { PartnerPicker } from './partner-picker'
import { Spoken } from './spoken'
import { Thread } from './thread'
import { type LiveTurn, positionOf, turnsOf } from './turns'
import { usePartner } from './use-partner'
import { useStick } from './use-stick'
import { useTakes } from './use-takes'

interface ConversationProps {
  session: string | undefined
  /** Whom the address names. */
  asked: Partner | null
  /** The first question of a new conversation gave it this id. */
  onBegin: (session: string) => void
  onHistory?: () => void
}

/** One conversation: what was said, what is being said, and the field to say more. */
export function Conversation({ session, asked, onBegin, onHistory }: ConversationProps) {
  const navigate = useNavigate()
  const store = useConversations()
  const queries = useQueryClient()
  const stored = useStoredSession(session)
  const live = useLiveTurns(session)
  const turns = turnsOf(stored.data?.messages ?? [], live)
  const last = live.at(-1)
  const busy = last !== undefined && !isOver(last.answer)
  const { models, agents, partner, choose } = usePartner([
    last && partnerOf(last),
    partnerIn(stored.data?.metadata),
    asked,
  ])

  const takes = useTakes(partner, models.data ?? [])

  const field = useRef<HTMLTextAreaElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const { stuck, toEnd } = useStick(scroller, content)
  useFocusField(field)

  const stop = useStop(session, last)

  function ask(input: ChatInput) {
    const sessionId = session ?? newSessionId()
    store.ask({ sessionId, ...asQuestion(partner!), input })
    if (!session) {
      onBegin(sessionId)
      void navigate({ to: '/chat', search: { session: sessionId }, replace: true, resetScroll: false })
    }
    toEnd()
  }

  /** What was said from that turn on is forgotten first, or the model would be told both. */
  const again = useMutation({
    mutationFn: async ({ index }: { index: number; input: ChatInput }) => rewind(session!, turns, index),
    onSuccess(_, { index, input }) {
      store.drop(session!, new Set(turns.slice(index).map(({ key }) => key)))
      queries.setQueryData(['sessions', session], (known: typeof stored.data) =>
        known
          ? {
              ...known,
              messages: known.messages.slice(0, positionOf(turns, index, known.messages) ?? undefined),
            }
          : known,
      )
      store.ask({ sessionId: session!, ...asQuestion(partner!), input })
      toEnd()
    },
  })
  const askAgain = (index: number, input: ChatInput) => again.mutate({ index, input })

  const title = titleFor(session, stored.data, live)
  const waiting = session !== undefined && stored.isPending && live.length === 0
  return (
    <section aria-label={texts.conversation.label} className="relative flex min-w-0 flex-1 flex-col">
      <Head title={title} onHistory={onHistory} />
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
        <div ref={content} className="mx-auto flex min-h-full w-full max-w-3xl flex-col px-4 py-6 sm:px-6">
          {stored.error ? (
            <ErrorNotice
              title={texts.conversation.failed}
              error={stored.error}
              onRetry={() => void stored.refetch()}
            />
          ) : (
            <Thread
              turns={turns}
              loading={waiting}
              missing={stored.data === null && live.length === 0}
              models={models}
              partner={partner}
              speaker={firstOf(models.data, 'audio.speech')}
              onAskAgain={session && partner && !busy && !again.isPending ? askAgain : undefined}
            />
          )}
        </div>
      </div>
      <div className="relative mx-auto w-full max-w-3xl px-3 pb-3 sm:px-6 sm:pb-5">
        {!stuck && (
          <div className="absolute -top-11 left-1/2 -translate-x-1/2">
            <Button size="sm" icon={<ArrowDown aria-hidden className="size-3.5" />} onClick={toEnd}>
              {texts.conversation.toEnd}
            </Button>
          </div>
        )}
        {again.error && (
          <ErrorNotice title={texts.conversation.askAgainFailed} error={again.error} className="mb-2" />
        )}
        {stop.error && (
          <ErrorNotice title={texts.conversation.stopFailed} error={stop.error} className="mb-2" />
        )}
        <Composer
          field={field}
          blocked={blockedBy(models.data?.length, partner, waiting)}
          busy={busy}
          stopping={stop.stopping}
          takes={takes}
          transcriber={firstOf(models.data, 'audio.transcription')}
          onSend={ask}
          onStop={stop.stop}
        >
          <PartnerPicker models={models.data ?? []} agents={agents} value={partner} onChange={choose} />
        </Composer>
      </div>
      <Spoken answer={last?.answer} />
    </section>
  )
}

/** Stops the last turn: at the server, or before it got there. The stream itself then says that it is over. */
function useStop(session: string | undefined, last: LiveTurn | undefined) {
  const store = useConversations()
  const { mutate, isPending, isSuccess, submittedAt, error } = useMutation({
    mutationFn: async () => {
      if (last?.answer.runId) await cancelRun(last.answer.runId)
      else if (session) store.abandon(session)
    },
  })
  const asked = isSuccess && last !== undefined && !isOver(last.answer) && submittedAt > last.answer.askedAt
  return { stop: () => mutate(), stopping: isPending || asked, error }
}

/** The first model of a kind, for what any of them can do. */
const firstOf = (models: readonly ModelView[] | undefined, modality: Modality) =>
  models?.find(({ binding }) => binding.modality === modality)?.logicalId ?? null

function titleFor(
  session: string | undefined,
  stored: ReturnType<typeof useStoredSession>['data'],
  live: readonly LiveTurn[],
) {
  const first = live[0] ? textOf(live[0].input) : ''
  if (stored) return titleOf({ metadata: stored.metadata, preview: first })
  return first || (session ? texts.conversation.title : texts.newChat)
}

function blockedBy(models: number | undefined, partner: Partner | null, loading: boolean): string | null {
  if (loading || (models === undefined && partner === null)) return texts.conversation.loading
  if (partner !== null) return null
  return models === 0 ? texts.conversation.noModels : texts.conversation.noPartner
}

/** A keyboard can type at once; a phone's would cover the screen. */
function useFocusField(field: React.RefObject<HTMLTextAreaElement | null>) {
  const fine = useMedia('(pointer: fine)')
  useEffect(() => {
    if (fine) field.current?.focus()
  }, [fine, field])
}

function Head({ title, onHistory }: { title: string; onHistory?: () => void }) {
  useDocumentTitle(title)
  return (
    <header className="flex h-12 shrink-0 items-center gap-1 border-b px-3 sm:px-4">
      {onHistory && (
        <IconButton
          label={texts.chats}
          icon={<HistoryIcon aria-hidden className="size-4" />}
          onClick={onHistory}
        />
      )}
      <h1 tabIndex={-1} className="min-w-0 flex-1 truncate px-1 text-sm font-medium">
        {title}
      </h1>
      {onHistory && (
        <Button asChild variant="ghost">
          <Link to="/chat" aria-label={texts.newChat}>
            <MessageCirclePlus aria-hidden className="size-4" />
          </Link>
        </Button>
      )}
    </header>
  )
}
