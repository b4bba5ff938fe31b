import { createContext, type ReactNode, useContext, useId } from 'react'
import { classes } from './classes'

interface Control {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
  'aria-required': true | undefined
}

const FieldContext = createContext<Control | null>(null)

/** What ties a control to the label, hint and error of the `Field` around it. */
export const useFieldControl = (): Partial<Control> => useContext(FieldContext) ?? {}

interface FieldProps {
  label: ReactNode
  hint?: ReactNode
  /** What is wrong with the value, and how to make it right. */
  error?: ReactNode
  required?: boolean
  /** Beside the label: a badge, or a link. */
  aside?: ReactNode
  /** For those who cannot see it: the place says what it is already. */
  hideLabel?: boolean
  /** Words at the left, the control at the right: for lists of settings. */
  row?: boolean
  className?: string
  children: ReactNode
}

/** A label, one control of the kit, and what there is to say about it. */
export function Field({
  label,
  hint,
  error,
  required,
  aside,
  hideLabel,
  row,
  className,
  children,
}: FieldProps) {
  const id = useId()
  const described = [hint ? `${id}-hint` : null, error ? `${id}-error` : null].filter(Boolean).join(' ')
  const control: Control = {
    id,
    'aria-describedby': described || undefined,
    'aria-invalid': error ? true : undefined,
    'aria-required': required || undefined,
  }
  const head = (
    <div
      className={classes(
        'flex flex-wrap items-center gap-x-2 gap-y-1',
        !row && 'justify-between',
        hideLabel && 'sr-only',
      )}
    >
      <label htmlFor={id} className="text-sm font-medium text-text">
        {label}
      </label>
      {aside}
    </div>
  )
  const below = hint && (
    <div id={`${id}-hint`} className="text-xs text-muted">
      {hint}
    </div>
  )
  const problem = error && (
    <p id={`${id}-error`} className="text-xs font-medium text-bad">
      {error}
    </p>
  )
  const wired = <FieldContext.Provider value={control}>{children}</FieldContext.Provider>
  if (row) {
    return (
      <div
        className={classes(
          'grid min-w-0 items-start gap-x-8 gap-y-2.5 sm:grid-cols-[minmax(0,1fr)_minmax(0,18rem)]',
          className,
        )}
      >
        <div className="flex min-w-0 flex-col gap-1">
          {head}
          {below}
        </div>
        <div className="flex min-w-0 flex-col gap-1.5">
          {wired}
          {problem}
        </div>
      </div>
    )
  }
  return (
    <div className={classes('flex min-w-0 flex-col gap-1.5', className)}>
      {head}
      {wired}
      {below}
      {problem}
    </div>
  )
}
