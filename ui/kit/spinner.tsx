import { LoaderCircle } from 'lucide-react'
import { classes } from './classes'

/** `label` is read aloud; leave it out where words beside it say the same. */
export function Spinner({ label, className }: { label?: string; className?: string }) {
  return (
    <span role={label ? 'status' : undefined} className={classes('inline-flex shrink-0', className)}>
      <LoaderCircle aria-hidden className="size-4 animate-spin text-current" />
      {label && <span className="sr-only">{label}</span>}
    </span>
  )
}
