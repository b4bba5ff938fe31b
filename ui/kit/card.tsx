import { type ReactNode, useId } from 'react'
import { classes } from './classes'

interface CardProps {
  title?: ReactNode
  description?: ReactNode
  /** Right of the title. */
  actions?: ReactNode
  /** Lists and tables reach the edges. */
  flush?: boolean
  className?: string
  children?: ReactNode
}

export function Card({ title, description, actions, flush = false, className, children }: CardProps) {
  const id = useId()
  return (
    <section
      aria-labelledby={title ? id : undefined}
      className={classes(
        'flex min-w-0 flex-col rounded-xl border bg-surface shadow-card',
        flush && 'overflow-clip',
        className,
      )}
    >
      {(title || actions) && (
        <header
          className={classes(
            'flex justify-between gap-3 px-4 pt-3',
            description ? 'items-start' : 'items-center',
            flush ? 'pb-3' : 'pb-1',
          )}
        >
          <div className="min-w-0">
            <h2 id={id} className="text-sm leading-7 font-semibold text-text">
              {title}
            </h2>
            {description && <p className="text-sm text-muted">{description}</p>}
          </div>
          {actions && <div className="flex shrink-0 items-center gap-2">{actions}</div>}
        </header>
      )}
      {children && (
        <div className={classes('min-w-0 flex-1', !flush && 'p-4', title ? !flush && 'pt-2' : '')}>
          {children}
        </div>
      )}
    </section>
  )
}
