import { Ban, CircleCheck, CircleDashed, CirclePause, CircleX, LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge, type Tone } from '../kit/badge'
import { classes } from '../kit/classes'
import { texts as runs } from '../texts/runs'

const texts = runs.status

interface Look {
  tone: Tone
  label: string
  icon: ReactNode
}

const LOOKS: Record<string, Look> = {
  created: { tone: 'neutral', label: texts.created, icon: <CircleDashed aria-hidden /> },
  streaming: {
    tone: 'accent',
    label: texts.streaming,
    icon: <LoaderCircle aria-hidden className="animate-spin" />,
  },
  waiting: { tone: 'warn', label: texts.waiting, icon: <CirclePause aria-hidden /> },
  completed: { tone: 'good', label: texts.completed, icon: <CircleCheck aria-hidden /> },
  failed: { tone: 'bad', label: texts.failed, icon: <CircleX aria-hidden /> },
}
const STOPPED: Look = { tone: 'neutral', label: texts.stopped, icon: <Ban aria-hidden /> }

/** A run that a person stopped is recorded as failed, but nothing went wrong. */
function lookOf({ status, error }: { status: string; error: string | null }): Look {
  if (status === 'failed' && error === 'cancelled') return STOPPED
  return LOOKS[status] ?? { tone: 'neutral', label: status, icon: null }
}

export function RunStatusBadge({ run }: { run: { status: string; error: string | null } }) {
  const { tone, label, icon } = lookOf(run)
  return (
    <Badge tone={tone} icon={icon}>
      {label}
    </Badge>
  )
}

const COLOURS: Record<Tone, string> = {
  neutral: 'text-faint',
  good: 'text-good',
  warn: 'text-warn',
  bad: 'text-bad',
  accent: 'text-accent',
}

/** The status in dense lists: its sign, and its word for those who cannot see it. */
export function RunStatusIcon({ run }: { run: { status: string; error: string | null } }) {
  const { tone, label, icon } = lookOf(run)
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      className={classes('inline-flex shrink-0 [&_svg]:size-4', COLOURS[tone])}
    >
      {icon}
    </span>
  )
}
