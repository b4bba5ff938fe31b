import { Clock } from 'lucide-react'
import { useState } from 'react'
import { ErrorNotice, Notice } from '../kit/notices'
import { Skeleton } from '../kit/placeholders'
import { useToast } from '../kit/toasts'
import { Worded } from '../kit/worded'
import type { Run } from '../runs/data'
import { texts as waiting } from '../texts/waiting'
import { ValueView } from '../trace/value-view'
import { AnswerForm } from './answer-form'
import { type Awaiting, placeOf, useAwaiting, useResume } from './data'
import { Deadline } from './deadline'
import { namedFields, refusalOf } from './refusal'

const texts = waiting.gate

interface GatePanelProps {
  run: Run
  /** Below its question, in a list that shows it: without a frame, and without the question again. */
  inPlace?: boolean
}

/**
 * What a run waits for, and the form to answer it; nothing while it waits for nobody. What somebody has begun to write
 * stays when the run goes on meanwhile, because others answered or the time was over.
 */
export function GatePanel({ run, inPlace = false }: GatePanelProps) {
  const place = placeOf(run)
  const [shown, setShown] = useState(place)
  const [edited, setEdited] = useState(false)
  if (place !== shown && !edited) setShown(place)
  if (shown === null) return null
  return (
    <section
      aria-label={texts.label}
      className={inPlace ? 'min-w-0' : 'min-w-0 rounded-xl border border-warn/30 bg-surface p-4 shadow-card'}
    >
      <GateLoader
        key={shown}
        runId={run.id}
        place={shown}
        inPlace={inPlace}
        moved={place !== shown}
        onEdit={() => setEdited(true)}
        onDone={() => setEdited(false)}
      />
    </section>
  )
}

interface GateProps {
  runId: string
  place: string
  inPlace: boolean
  /** The run waits here no longer. */
  moved: boolean
  onEdit: () => void
  /** Nothing is to be kept any more: the answer was taken. */
  onDone: () => void
}

function GateLoader(props: GateProps) {
  const { data, error, refetch } = useAwaiting(props.runId, props.place)
  if (data) return <Gate {...props} gate={data} />
  if (!error) {
    return (
      <div role="status" className="flex flex-col gap-3">
        <span className="sr-only">{texts.loading}</span>
        <Skeleton className="h-5 w-2/3" />
        <Skeleton className="h-8 w-full" />
      </div>
    )
  }
  if (refusalOf(error).kind === 'moved') return <p className="text-sm text-muted">{texts.moved}</p>
  return <ErrorNotice title={texts.failed} error={error} onRetry={() => void refetch()} />
}

function Gate({ runId, place, gate, inPlace, moved, onEdit, onDone }: GateProps & { gate: Awaiting }) {
  const toast = useToast()
  const resume = useResume(runId, place)
  const refusal = resume.error && refusalOf(resume.error)
  // While the answer is under way it is this one that moves the run.
  const isMoved = !resume.isPending && !resume.isSuccess && (moved || refusal?.kind === 'moved')
  const isGone = refusal?.kind === 'gone'

  const send = (answer: unknown) =>
    resume.mutate(answer, {
      onSuccess() {
        toast(texts.sent)
        onDone()
      },
    })

  return (
    <div className="flex min-w-0 max-w-3xl flex-col gap-4">
      <header className="flex min-w-0 flex-col gap-1">
        {!inPlace && (
          <h2 className="text-base font-semibold break-words whitespace-pre-wrap text-text">
            {gate.prompt || texts.question}
          </h2>
        )}
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
          <span>
            <Worded text={texts.askedBy} with={{ place: <code>{place}</code> }} />
          </span>
          {gate.deadline && (
            <span className="inline-flex items-center gap-1">
              <Clock aria-hidden className="size-3" />
              <Worded text={texts.due} with={{ deadline: <Deadline value={gate.deadline} /> }} />
            </span>
          )}
        </p>
      </header>
      <Subject input={gate.input} />
      <AnswerForm
        label={texts.form}
        schema={gate.inputSchema}
        submit={texts.submit}
        pending={resume.isPending}
        closed={isMoved || isGone}
        refused={(fields) => (resume.error ? namedFields(resume.error, fields) : [])}
        onEdit={onEdit}
        onSubmit={send}
      >
        {isMoved && !isGone && <Moved />}
        {refusal && (isGone || (refusal.kind === 'error' && !isMoved)) && (
          <ErrorNotice title={refusal.title} error={resume.error} help={refusal.help} />
        )}
      </AnswerForm>
    </div>
  )
}

const MOVED = refusalOf({ code: 'run_not_waiting' })

const Moved = () => (
  <Notice>
    <p className="font-medium">{MOVED.title}</p>
    <p className="text-muted">{MOVED.help}</p>
  </Notice>
)

/** What the person is asked about. */
function Subject({ input }: { input: Awaiting['input'] }) {
  const values = Object.entries(input ?? {}).filter(([, value]) => value !== null && value !== '')
  if (values.length === 0) return null
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {values.map(([port, value]) => (
        <ValueView key={port} label={port === 'in' ? texts.subject : port} value={value} formatted />
      ))}
    </div>
  )
}
