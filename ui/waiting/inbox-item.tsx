import { Link } from '@tanstack/react-router'
import { Activity, ChevronRight } from 'lucide-react'
import { useId } from 'react'
import { Button } from '../kit/button'
import { classes } from '../kit/classes'
import { ErrorNotice } from '../kit/notices'
import { RelativeTime } from '../kit/relative-time'
import { Worded } from '../kit/worded'
import { type Run, useRun } from '../runs/data'
import { texts as waiting } from '../texts/waiting'
import { placeOf, useAwaiting } from './data'
import { Deadline } from './deadline'
import { Following } from './following'
import { GatePanel } from './gate-panel'

const texts = waiting.item

interface InboxItemProps {
  run: Run
  open: boolean
  /** It was open before: what was typed there is kept. */
  opened: boolean
  onToggle: () => void
}

/** One run that waits, or waited when it was opened. */
export function InboxItem({ run, open, opened, onToggle }: InboxItemProps) {
  const id = useId()
  return (
    <li className="min-w-0">
      <h2>
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          onClick={onToggle}
          className="flex w-full min-w-0 items-start gap-3 px-4 py-3 text-left transition-colors duration-75 hover:bg-sunken/60 focus-visible:-outline-offset-2"
        >
          <ChevronRight
            aria-hidden
            className={classes('mt-0.5 size-4 shrink-0 text-faint transition-transform', open && 'rotate-90')}
          />
          <Question run={run} open={open} />
        </button>
      </h2>
      <div id={id} hidden={!open} className="min-w-0 px-4 pb-4 sm:pl-11">
        {(open || opened) && <Opened run={run} />}
      </div>
    </li>
  )
}

function Question({ run, open }: Pick<InboxItemProps, 'run' | 'open'>) {
  const place = placeOf(run)
  const { data: gate } = useAwaiting(run.id, place)
  return (
    <span className="flex min-w-0 flex-1 flex-col gap-0.5 sm:flex-row sm:items-baseline sm:gap-4">
      <span className="flex min-w-0 flex-1 flex-col gap-0.5">
        <span
          className={classes(
            'text-sm font-medium break-words whitespace-pre-wrap text-text',
            !open && 'line-clamp-2',
          )}
        >
          {gate?.prompt || (place ? texts.waitsAt(place) : texts.answered)}
        </span>
        <span className="truncate text-xs text-muted">{run.graph_id ?? run.id}</span>
      </span>
      <span className="flex shrink-0 flex-wrap gap-x-3 text-xs text-muted sm:flex-col sm:items-end sm:gap-0.5">
        <span>
          <Worded text={texts.asked} with={{ time: <RelativeTime value={run.updated_at} /> }} />
        </span>
        {gate?.deadline && (
          <span>
            <Worded text={texts.due} with={{ deadline: <Deadline value={gate.deadline} /> }} />
          </span>
        )}
      </span>
    </span>
  )
}

function Opened({ run }: { run: Run }) {
  const { data: now = run, error } = useRun(run.id)
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {error && <ErrorNotice title={texts.failed} error={error} />}
      <GatePanel inPlace run={now} />
      {placeOf(now) === null && <Following run={now} />}
      <div>
        <Button asChild size="sm">
          <Link to="/runs/$id" params={{ id: run.id }}>
            <Activity aria-hidden className="size-3.5" />
            {texts.openRun}
          </Link>
        </Button>
      </div>
    </div>
  )
}
