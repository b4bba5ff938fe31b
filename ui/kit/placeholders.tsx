import type { ReactNode } from 'react'
import { texts } from '../texts/kit'
import { classes } from './classes'

interface EmptyStateProps {
  icon?: ReactNode
  title: string
  /** Why it is empty, and what comes here. */
  children?: ReactNode
  /** The next step. */
  action?: ReactNode
  className?: string
}

export const EmptyState = ({ icon, title, children, action, className }: EmptyStateProps) => (
  <div className={classes('flex flex-col items-center px-6 py-10 text-center', className)}>
    {icon && (
      <div className="mb-3 flex size-10 items-center justify-center rounded-xl border bg-surface text-muted shadow-card [&_svg]:size-5">
        {icon}
      </div>
    )}
    <p className="text-base font-medium text-text">{title}</p>
    {children && <div className="mt-1 max-w-sm text-sm text-balance text-muted">{children}</div>}
    {action && <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div>}
  </div>
)

export const Skeleton = ({ className }: { className?: string }) => (
  <div aria-hidden className={classes('animate-pulse rounded-md bg-sunken', className ?? 'h-4 w-full')} />
)

/** The shape of a list while it loads; read aloud as "Loading". */
export const SkeletonRows = ({ rows = 5, label = texts.loading }: { rows?: number; label?: string }) => (
  <div role="status" className="flex flex-col divide-y divide-line">
    <span className="sr-only">{label}</span>
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
      <div key={row} className="flex items-center gap-4 px-4 py-3">
        <Skeleton className={classes('h-3.5', row % 3 === 0 ? 'w-2/5' : row % 3 === 1 ? 'w-1/2' : 'w-1/3')} />
        <Skeleton className="ml-auto h-3.5 w-16" />
      </div>
    ))}
  </div>
)
