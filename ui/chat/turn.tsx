import { Link } from '@tanstack/react-router'
import { Activity, RotateCw } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { IconButton } from '../kit/button'
import { CopyButton } from '../kit/copying'
import { ErrorNotice, Notice } from '../kit/notices'
import { useNow } from '../kit/use-now'
import { wholeSeconds } from '../registries/labels'
import { useLoadOf } from '../registries/load-line'
import { type Answer, isOver, paceOf } from './answer'
import { DurableProgress } from './durable-progress'
import { Help } from './explain'
import { type ChatInput, imageOf, textOf } from './input'
import { RichText } from './rich-text'
import { Thinking } from './thinking'
import type { LiveTurn, StoredTurn } from './turns'

export const StoredTurnView = memo(function StoredTurnView({ turn }: { turn: StoredTurn }) {
  return (
    <article aria-label="Turn" className="group/turn flex min-w-0 flex-col gap-4">
      <Question input={turn.input} />
      <div className="flex min-w-0 flex-col gap-2">
        <RichText text={turn.text} />
        <Foot text={turn.text} runId={turn.runId} />
      </div>
    </article>
  )
})

export function LiveTurnView({ turn, onRetry }: { turn: LiveTurn; onRetry?: () => void }) {
  const { answer } = turn
  const over = isOver(answer)
  return (
    <article aria-label="Turn" aria-busy={!over} className="group/turn flex min-w-0 flex-col gap-4">
      <Question input={turn.input} />
      <div className="flex min-w-0 flex-col gap-2">
        {answer.reasoning !== '' && <Thinking answer={answer} />}
        {answer.tools.length > 0 && <p className="text-xs text-muted">Used {answer.tools.join(', ')}</p>}
        {answer.durable && answer.runId && <DurableProgress runId={answer.runId} />}
        {answer.phase === 'connecting' && !answer.durable && <Waiting turn={turn} />}
        {answer.text !== '' && <RichText text={answer.text} />}
        {turn.reconnecting && !over && (
          <p className="text-xs text-muted">The connection broke; taking it up again…</p>
        )}
        <Ending answer={answer} onRetry={onRetry} />
        {(over || answer.runId) && (
          <Foot
            text={answer.text}
            runId={answer.runId}
            busy={!over}
            onRetry={answer.phase === 'failed' ? undefined : onRetry}
          >
            <PaceText turn={turn} />
          </Foot>
        )}
      </div>
    </article>
  )
}

function Question({ input }: { input: ChatInput }) {
  const image = imageOf(input)
  return (
    <div className="flex max-w-[85%] min-w-0 flex-col items-end gap-2 self-end">
      {image && (
        <img src={image} alt="Attached" className="max-h-64 max-w-full rounded-lg border object-contain" />
      )}
      {textOf(input) !== '' && (
        <p className="max-w-full rounded-xl bg-sunken px-3.5 py-2 text-base leading-relaxed whitespace-pre-wrap">
          {textOf(input)}
        </p>
      )}
    </div>
  )
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
      {load ? load.text : `Waiting for the ${agent === undefined ? 'model' : 'agent'}`}
      {!load && waited >= COUNT_FROM_MS && `, ${wholeSeconds(waited)}`}
    </p>
  )
}

function Ending({ answer: { phase, failure, text }, onRetry }: { answer: Answer; onRetry?: () => void }) {
  if (phase === 'failed') {
    return (
      <ErrorNotice
        title={text === '' ? 'No answer came' : 'The answer broke off'}
        error={failure}
        help={<Help code={failure?.code} />}
        onRetry={onRetry}
      />
    )
  }
  if (phase === 'stopped') {
    return <p className="text-sm text-muted">Stopped. The model will not remember this turn.</p>
  }
  if (phase === 'completed' && text === '') {
    return (
      <Notice>
        <p className="font-medium">The answer is empty</p>
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
    firstTokenMs === null ? null : `first token ${(firstTokenMs / 1000).toFixed(2)} s`,
    tokensPerSecond === null ? null : `≈ ${tokensPerSecond.toFixed(tokensPerSecond < 10 ? 1 : 0)} tokens/s`,
  ]
  return (
    <span
      className="min-w-0 truncate px-1"
      title="Measured here; one piece of the stream counts as one token."
    >
      {parts.filter(Boolean).join(' · ')}
    </span>
  )
}

interface FootProps {
  text: string
  runId: string | null
  busy?: boolean
  onRetry?: () => void
  children?: ReactNode
}

/** What one can do with an answer. */
const Foot = ({ text, runId, busy = false, onRetry, children }: FootProps) => (
  <div className="-ml-1.5 flex min-h-7 min-w-0 flex-wrap items-center gap-0.5 text-xs text-faint">
    {text !== '' && !busy && <CopyButton text={text} label="Copy the answer" />}
    {onRetry && !busy && (
      <IconButton
        size="sm"
        label="Ask again"
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
        Run
      </Link>
    )}
    {children}
  </div>
)
