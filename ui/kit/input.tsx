import type { ComponentProps } from 'react'
import { classes } from './classes'
import { useFieldControl } from './field'

export const controlLooks =
  'w-full min-w-0 rounded-md border border-line-strong bg-surface text-sm text-text shadow-card transition-colors duration-100 hover:border-faint focus-visible:border-accent focus-visible:outline-2 focus-visible:outline-offset-0 focus-visible:outline-accent/35 disabled:cursor-not-allowed disabled:bg-sunken disabled:text-muted disabled:hover:border-line-strong aria-invalid:border-bad'

/** Inside a `Field` it is labelled by it; elsewhere it needs an `aria-label`. */
export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return (
    <input
      {...useFieldControl()}
      {...rest}
      className={classes(controlLooks, 'h-8 px-2.5 read-only:bg-sunken pointer-coarse:h-10', className)}
    />
  )
}

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea
      rows={4}
      {...useFieldControl()}
      {...rest}
      className={classes(controlLooks, 'block resize-y px-2.5 py-1.5 read-only:bg-sunken', className)}
    />
  )
}
