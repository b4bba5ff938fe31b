import { Link } from '@tanstack/react-router'
import { Boxes, MessageCircleQuestion, MessagesSquare } from 'lucide-react'
import { Button } from '../kit/button'
import { ErrorNotice } from '../kit/notices'
import { EmptyState, Skeleton } from '../kit/placeholders'
import { texts as chat } from '../texts/chat'
import { texts as common } from '../texts/common'
import type { useChatModels } from './data'
import type { ChatInput } from './input'
import type { Partner } from './partner'
import { LiveTurnView, StoredTurnView } from './turn'
import type { Turn } from './turns'

const texts = chat.thread

interface ThreadProps {
  turns: Turn[]
  loading: boolean
  /** There is no conversation of this id. */
  missing: boolean
  models: ReturnType<typeof useChatModels>
  partner: Partner | null
  /** The model that reads aloud, where there is one. */
  speaker: string | null
  /** Asks the question of a turn anew, with other words or the same; absent while something is being answered. */
  onAskAgain?: (index: number, input: ChatInput) => void
}

export function Thread({ turns, loading, missing, models, partner, speaker, onAskAgain }: ThreadProps) {
  if (loading) return <LoadingTurns />
  if (missing) return <Missing />
  if (turns.length === 0) return <Beginning models={models} partner={partner} />
  return (
    <div className="flex min-w-0 flex-col gap-8">
      {turns.map((turn, index) => {
        const again = onAskAgain && ((input: ChatInput) => onAskAgain(index, input))
        const isLast = index === turns.length - 1
        const about = {
          speaker,
          onEdit: again,
          onRetry: isLast ? again && (() => again(turn.input)) : undefined,
        }
        return turn.kind === 'stored' ? (
          <StoredTurnView key={turn.key} turn={turn} {...about} />
        ) : (
          <LiveTurnView key={turn.key} turn={turn} {...about} />
        )
      })}
    </div>
  )
}

function Beginning({ models, partner }: Pick<ThreadProps, 'models' | 'partner'>) {
  if (models.error && partner === null) {
    return (
      <ErrorNotice title={texts.modelsFailed} error={models.error} onRetry={() => void models.refetch()} />
    )
  }
  if (models.data?.length === 0 && partner === null) {
    return (
      <EmptyState
        className="my-auto"
        icon={<Boxes aria-hidden />}
        title={texts.noModels}
        action={
          <Button asChild variant="primary">
            <Link to="/registries">{common.addModel}</Link>
          </Button>
        }
      >
        {texts.noModelsHint}
      </EmptyState>
    )
  }
  return (
    <EmptyState className="my-auto" icon={<MessagesSquare aria-hidden />} title={texts.empty}>
      {texts.emptyHint}
    </EmptyState>
  )
}

const Missing = () => (
  <EmptyState
    className="my-auto"
    icon={<MessageCircleQuestion aria-hidden />}
    title={texts.missing}
    action={
      <Button asChild variant="primary">
        <Link to="/chat">{texts.beginNew}</Link>
      </Button>
    }
  >
    {texts.missingHint}
  </EmptyState>
)

const LoadingTurns = () => (
  <div role="status" className="flex flex-col gap-6">
    <span className="sr-only">{texts.loading}</span>
    <Skeleton className="h-10 w-1/2 self-end rounded-xl" />
    <Skeleton className="h-4 w-full" />
    <Skeleton className="h-4 w-4/5" />
  </div>
)
