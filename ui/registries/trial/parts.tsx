import { Play, Square } from 'lucide-react'
import type { FormEvent, KeyboardEvent, ReactNode } from 'react'
import { Help } from '../../chat/explain'
import { Button } from '../../kit/button'
import { ErrorNotice } from '../../kit/notices'
import { useNow } from '../../kit/use-now'
import { texts } from '../../texts/trial'
import { useModels } from '../data'
import { shortTime } from '../labels'
import type { Task } from './use-task'

interface AskFormProps {
  busy: boolean
  /** Whether there is something to ask. */
  ready: boolean
  verb: string
  onAsk: () => void
  onStop: () => void
  /** Left of the button. */
  aside?: ReactNode
  children: ReactNode
}

/** What is asked, and the button that sends or stops. Enter in a text sends, Shift+Enter begins a line. */
export function AskForm({ busy, ready, verb, onAsk, onStop, aside, children }: AskFormProps) {
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!busy && ready) onAsk()
  }
  function onKeyDown(event: KeyboardEvent<HTMLFormElement>) {
    if (!(event.target instanceof HTMLTextAreaElement)) return
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event)
  }
  return (
    <form onSubmit={submit} onKeyDown={onKeyDown} className="flex flex-col gap-3">
      {children}
      <div className="flex items-center justify-between gap-2">
        <div className="min-w-0">{aside}</div>
        {/* Keys, or the button that was clicked to stop would become the one that sends within the same click. */}
        {busy ? (
          <Button key="stop" icon={<Square aria-hidden className="size-3 fill-current" />} onClick={onStop}>
            {texts.stop}
          </Button>
        ) : (
          <Button
            key="send"
            type="submit"
            variant="primary"
            disabled={!ready}
            icon={<Play aria-hidden className="size-3.5" />}
          >
            {verb}
          </Button>
        )}
      </div>
    </form>
  )
}

interface OutcomeProps<T> {
  model: string
  task: Task<T>
  /** What screen readers say when it is there. */
  said: (result: T) => string
  children: (result: T, tookMs: number) => ReactNode
}

/** What became of a task: the wait, the result, or why there is none. */
export const Outcome = <T,>({ model, task, said, children }: OutcomeProps<T>) => (
  <div aria-busy={task.phase === 'waiting'} className="mt-4 flex flex-col gap-4">
    {task.phase === 'waiting' && <Waiting model={model} since={task.askedAt} />}
    {task.phase === 'stopped' && <p className="text-sm text-muted">{texts.stopped}</p>}
    {task.phase === 'failed' && <Failed title={texts.failed} error={task.error} />}
    {task.phase === 'done' && children(task.result as T, task.endedAt! - task.askedAt)}
    <p role="status" className="sr-only">
      {task.phase === 'done' ? said(task.result as T) : ''}
    </p>
  </div>
)

/** Most of a first wait is the load of the model, so that is said. */
export function Waiting({ model, since }: { model: string; since: number }) {
  const now = useNow(true, 200)
  const phase = useModels(
    (models) => models.find(({ logicalId }) => logicalId === model)?.state.phase,
    true,
  ).data
  return (
    <p className="flex items-baseline gap-2 text-sm text-muted">
      <span className="animate-pulse">{phase ? texts.waits[phase] : texts.wait}</span>
      <span className="text-xs text-faint">{shortTime(Math.max(0, now - since))}</span>
    </p>
  )
}

export function Failed({ title, error }: { title: string; error: unknown }) {
  const { code } = (error ?? {}) as { code?: string }
  return <ErrorNotice title={title} error={error} help={<Help code={code} />} />
}

export const Figures = ({ children }: { children: ReactNode }) => (
  <dl className="grid auto-cols-fr grid-flow-col divide-x divide-line rounded-lg border bg-surface">
    {children}
  </dl>
)

export const Figure = ({ label, value }: { label: string; value: string }) => (
  <div className="flex min-w-0 flex-col px-3 py-2">
    <dt className="truncate text-xs text-muted">{label}</dt>
    <dd className="text-lg font-medium">{value}</dd>
  </div>
)
