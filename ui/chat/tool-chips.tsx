import { CircleX, Wrench } from 'lucide-react'
import { useId, useState } from 'react'
import { classes } from '../kit/classes'
import { Spinner } from '../kit/spinner'
import { texts as chat } from '../texts/chat'
import { ValueView } from '../trace/value-view'
import { type ToolCall, useToolCalls } from './recorded-data'

const texts = chat.tools

interface ToolChipsProps {
  runId: string | null
  /** In the order they were called; one that was called twice is there twice. */
  names: readonly string[]
  /** The answer is still coming in: the last of them may be at work. */
  goingOn: boolean
}

/** The tools a model called, each of which opens: what it was given, and what it answered. */
export function ToolChips({ runId, names, goingOn }: ToolChipsProps) {
  const [open, setOpen] = useState<number | null>(null)
  const id = useId()
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <ul aria-label={texts.label} className="flex flex-wrap gap-1.5">
        {names.map((name, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: calls are only ever added at the end
          <li key={index} className="min-w-0">
            <button
              type="button"
              aria-expanded={open === index}
              aria-controls={open === index ? id : undefined}
              disabled={runId === null}
              onClick={() => setOpen(open === index ? null : index)}
              className={classes(
                'inline-flex h-7 max-w-full items-center gap-1.5 rounded-full border px-2.5 font-mono text-xs transition-colors pointer-coarse:h-10',
                open === index
                  ? 'border-line-strong bg-sunken text-text'
                  : 'text-muted hover:bg-sunken hover:text-text',
              )}
            >
              <Wrench aria-hidden className="size-3 shrink-0" />
              <span className="truncate">{name}</span>
            </button>
          </li>
        ))}
      </ul>
      {open !== null && runId !== null && (
        <div id={id}>
          <Details runId={runId} name={names[open]!} index={open} goingOn={goingOn} />
        </div>
      )}
    </div>
  )
}

interface DetailsProps {
  runId: string
  name: string
  index: number
  goingOn: boolean
}

function Details({ runId, name, index, goingOn }: DetailsProps) {
  const { calls, loading } = useToolCalls(runId, goingOn)
  // Calls of several models at once may be heard in another order than they are recorded.
  const call = calls[index]?.name === name ? calls[index] : calls.find((one) => one.name === name)
  if (call) return <Call call={call} />
  return (
    <p role="status" className="flex items-center gap-2 text-sm text-muted">
      {loading || goingOn ? (
        <>
          <Spinner /> {texts.pending}
        </>
      ) : (
        texts.notRecorded
      )}
    </p>
  )
}

const Call = ({ call }: { call: ToolCall }) => (
  <div className="flex min-w-0 flex-col gap-2 rounded-lg border p-2">
    {!call.ok && (
      <p className="flex items-center gap-1.5 text-xs font-medium text-bad">
        <CircleX aria-hidden className="size-3.5" />
        {texts.failed}
      </p>
    )}
    <ValueView label={texts.arguments} value={call.arguments} />
    <ValueView label={texts.result} value={call.result} />
  </div>
)
