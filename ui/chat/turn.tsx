import { Link } from '@tanstack/react-router'
import { Activity, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../kit/button'
import { CopyButton } from '../kit/copying'
import { ErrorNotice, Notice } from '../kit/notices'
import { useNow } from '../kit/use-now'
import { wholeSeconds } from '../registries/labels'
import { useLoadOf } from '../registries/load-line'
import { texts as chat } from '../texts/chat'
import { type Media, mediaIn } from '../trace/media'
import { MediaView } from '../trace/media-view'
import { type Answer, isOver, paceOf } from './answer'
import { DurableProgress } from './durable-progress'
import { Help } from './explain'
import { type ChatInput, fileOf, inputOf } from './input'
import { Question } from './question'
import { ReadAloud } from './read-aloud'
import { Recorded } from './recorded'
import { RichText } from './rich-text'
import { Thinking } from './thinking'
import { ToolChips } from './tool-chips'
import type { LiveTurn, StoredTurn } from './turns'

const texts = chat.turn

interface StoredTurnProps {
  turn: StoredTurn
  speaker: string | null
  onEdit?: (input: ChatInput) => void
  onRetry?: () => void
}

export const StoredTurnView = ({ turn, speaker, onEdit, onRetry }: StoredTurnProps) => (
  <article aria-label={texts.label} className="group/turn flex min-w-0 flex-col gap-4">
    <Question input={turn.input} onEdit={onEdit} />
    <div className="flex min-w-0 flex-col gap-2">
      {turn.runId && <Recorded runId={turn.runId} />}
      <AnswerText text={turn.text} />
      <Foot text={turn.text} runId={turn.runId} speaker={speaker} onRetry={onRetry} />
    </div>
  </article>
)

interface LiveTurnProps {
  turn: LiveTurn
  speaker: string | null
  onEdit?: (input: ChatInput) => void
  onRetry?: () => void
}

export function LiveTurnView({ turn, speaker, onEdit, onRetry }: LiveTurnProps) {
  const { answer } = turn
  const over = isOver(answer)
  return (
    <article aria-label={texts.label} aria-busy={!over} className="group/turn flex min-w-0 flex-col gap-4">
      <Question input={turn.input} onEdit={over ? onEdit : undefined} />
      <div className="flex min-w-0 flex-col gap-2">
        {answer.reasoning !== '' && <Thinking answer={answer} />}
        {answer.tools.length > 0 && <ToolChips runId={answer.runId} names={answer.tools} goingOn={!over} />}
        {answer.durable && answer.runId && <DurableProgress runId={answer.runId} />}
        {answer.phase === 'connecting' && !answer.durable && <Waiting turn={turn} />}
        {answer.text !== '' && <AnswerText text={answer.text} />}
        {turn.reconnecting && !over && <p className="text-xs text-muted">{texts.reconnecting}</p>}
        <Ending answer={answer} onRetry={onRetry} />
        {(over || answer.runId) && (
          <Foot
            text={answer.text}
            runId={answer.runId}
            busy={!over}
            speaker={speaker}
            onRetry={answer.phase === 'failed' ? undefined : onRetry}
          >
            <PaceText turn={turn} />
          </Foot>
        )}
      </div>
    </article>
  )
}

/** Text as it is meant; a file as what it is. */
function AnswerText({ text }: { text: string }) {
  const media = mediaOf(text)
  if (media === null) return <RichText text={text} />
  return <MediaView media={media} label={texts.answer} />
}

function mediaOf(text: string): Media | null {
  const file = fileOf(inputOf(text))
  const [media] = file ? mediaIn(file) : mediaIn(text)
  return media ?? null
}

/** After this a wait is worth a number. */
const COUNT_FROM_MS = 2000

function Waiting({ turn: { answer, model, agent } }: { turn: LiveTurn }) {
  const waited = useNow(true, 250) - answer.askedAt
  // Which models an agent asks is its own affair.
  const load = useLoadOf(agent === undefined ? [model] : null)
  return (
    <p className="flex items-center gap-2 text-sm text-muted">
      <span aria-hidden className="flex gap-1">
        {[0, 150, 300].map((delay) => (
          <span
            key={delay}
            className="size-1.5 animate-pulse rounded-full bg-faint"
            style={{ animationDelay: `${delay}ms` }}
          />
        ))}
      </span>
      {load ? load.text : agent === undefined ? texts.waitingForModel : texts.waitingForAgent}
      {!load && waited >= COUNT_FROM_MS && `, ${wholeSeconds(waited)}`}
    </p>
  )
}

function Ending({ answer: { phase, failure, text }, onRetry }: { answer: Answer; onRetry?: () => void }) {
  if (phase === 'failed') {
    return (
      <ErrorNotice
        title={text === '' ? texts.failed : texts.brokenOff}
        error={failure}
        help={<Help code={failure?.code} />}
        onRetry={onRetry}
      />
    )
  }
  if (phase === 'stopped') {
    return <p className="text-sm text-muted">{texts.stopped}</p>
  }
  if (phase === 'completed' && text === '') {
    return (
      <Notice>
        <p className="font-medium">{texts.empty}</p>
        {failure && <p>{failure.message}</p>}
      </Notice>
    )
  }
  return null
}

function PaceText({ turn: { answer, model, agent } }: { turn: LiveTurn }) {
  const now = useNow(!isOver(answer), 500)
  const { firstTokenMs, tokensPerSecond } = paceOf(answer, now)
  const parts = [
    agent ?? model,
    firstTokenMs === null ? null : texts.firstToken((firstTokenMs / 1000).toFixed(2)),
    tokensPerSecond === null ? null : texts.pace(tokensPerSecond.toFixed(tokensPerSecond < 10 ? 1 : 0)),
  ]
  return (
    <span className="min-w-0 truncate px-1" title={texts.paceHint}>
      {parts.filter(Boolean).join(' · ')}
    </span>
  )
}

interface FootProps {
  text: string
  runId: string | null
  busy?: boolean
  /** The model that reads aloud, where there is one. */
  speaker: string | null
  onRetry?: () => void
  children?: ReactNode
}

/** What one can do with an answer. */
const Foot = ({ text, runId, busy = false, speaker, onRetry, children }: FootProps) => (
  <div className="-ml-1.5 flex min-h-7 min-w-0 flex-wrap items-center gap-0.5 text-xs text-faint">
    {text !== '' && !busy && <CopyButton text={text} label={texts.copy} />}
    {speaker && text !== '' && !busy && mediaOf(text) === null && <ReadAloud model={speaker} text={text} />}
    {onRetry && !busy && (
      <IconButton
        size="sm"
        label={texts.askAgain}
        icon={<RotateCw aria-hidden className="size-3.5" />}
        onClick={onRetry}
      />
    )}
    {runId && (
      <Link
        to="/runs/$id"
        params={{ id: runId }}
        className="flex h-7 items-center gap-1.5 rounded-md px-2 font-medium text-muted hover:bg-sunken hover:text-text pointer-coarse:h-9"
      >
        <Activity aria-hidden className="size-3.5" />
        {texts.run}
      </Link>
    )}
    {children}
  </div>
)
