import { Link, type LinkProps } from '@tanstack/react-router'
import { classes } from '../kit/classes'
import { Skeleton } from '../kit/placeholders'
import { useSlots } from '../registries/data'
import { texts as common } from '../texts/common'
import { texts } from '../texts/dashboard'
import { count } from '../texts/words'
import { useModels, useStats } from './data'

/** The few numbers worth a glance; each leads to what it counts. */
export function Figures() {
  const stats = useStats()
  const models = useModels()
  const engines = useSlots()
  return (
    <ul className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure to="/runs" label={texts.figures.runs} value={stats.data?.runs} failed={stats.isError} />
      <Figure
        to="/sessions"
        label={texts.figures.sessions}
        value={stats.data?.sessions}
        failed={stats.isError}
      />
      <Figure
        to="/registries"
        label={texts.figures.models}
        value={models.data?.length}
        failed={models.isError}
      />
      <Figure
        to="/registries"
        label={texts.figures.engines}
        value={engines.data?.resident.length}
        of={engines.data?.maxResident}
        failed={engines.isError}
      />
    </ul>
  )
}

interface FigureProps {
  to: LinkProps['to']
  label: string
  value: number | undefined
  /** The most there can be. */
  of?: number
  failed: boolean
}

const Figure = ({ to, label, value, of, failed }: FigureProps) => (
  <li>
    <Link
      to={to}
      className="flex h-full flex-col gap-1 rounded-xl border bg-surface px-4 py-3.5 shadow-card transition-colors hover:border-line-strong"
    >
      <span className="text-xs text-muted">{label}</span>
      <span
        className={classes(
          'flex h-8 items-center text-2xl font-semibold tracking-tight',
          failed && 'text-faint',
        )}
      >
        {value === undefined ? failed ? '–' : <Skeleton className="h-6 w-12" /> : count(value)}
        {of !== undefined && value !== undefined && (
          <span className="ml-1.5 self-end pb-0.5 text-sm font-normal tracking-normal text-faint">
            {texts.figures.outOf(of)}
          </span>
        )}
      </span>
      {failed && <span className="sr-only">{common.loadFailed}</span>}
    </Link>
  </li>
)
