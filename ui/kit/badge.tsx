import type { ReactNode } from 'react'
import { classes } from './classes'

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'accent'

const SOFT: Record<Tone, string> = {
  neutral: 'bg-sunken text-muted',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  accent: 'bg-accent-soft text-accent',
}
const SOLID: Record<Tone, string> = {
  neutral: 'bg-faint',
  good: 'bg-good-dot',
  warn: 'bg-warn-dot',
  bad: 'bg-bad-dot',
  accent: 'bg-accent',
}

interface BadgeProps {
  tone?: Tone
  icon?: ReactNode
  className?: string
  children: ReactNode
}

export const Badge = ({ tone = 'neutral', icon, className, children }: BadgeProps) => (
  <span
    className={classes(
      'inline-flex max-w-full items-center gap-1 rounded-full px-2 text-xs leading-5 font-medium whitespace-nowrap [&_svg]:size-3 [&_svg]:shrink-0',
      SOFT[tone],
      className,
    )}
  >
    {icon}
    <span className="truncate">{children}</span>
  </span>
)

/** A colour alone says nothing to many people: words belong beside it, or in `label`. */
export const StatusDot = ({ tone, label, pulse }: { tone: Tone; label?: string; pulse?: boolean }) => (
  <span
    className={classes('inline-block size-2 shrink-0 rounded-full', SOLID[tone], pulse && 'animate-pulse')}
  >
    {label && <span className="sr-only">{label}</span>}
  </span>
)
