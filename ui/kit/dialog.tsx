import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { texts as common } from '../texts/common'
import { Button, IconButton } from './button'
import { classes } from './classes'
import { ErrorNotice } from './notices'

interface DialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: ReactNode
  description?: ReactNode
  /** `sheet` comes from below on a phone and is a panel at the right elsewhere. */
  size?: 'sm' | 'md' | 'lg' | 'sheet'
  /** Buttons, right-aligned below the content. */
  footer?: ReactNode
  children?: ReactNode
}

const PLACES = {
  sm: 'sm:top-[20dvh] sm:max-w-sm',
  md: 'sm:top-[12dvh] sm:max-w-lg',
  lg: 'sm:top-[12dvh] sm:max-w-3xl',
  sheet: '',
}
const CENTERED =
  'max-sm:inset-x-0 max-sm:bottom-0 max-sm:rounded-t-xl max-sm:animate-sheet-in sm:left-1/2 sm:w-[calc(100%-2rem)] sm:-translate-x-1/2 sm:rounded-xl sm:animate-fade-in max-h-[85dvh] sm:max-h-[76dvh]'
const SHEET =
  'max-sm:inset-x-0 max-sm:bottom-0 max-sm:rounded-t-xl max-sm:max-h-[88dvh] animate-sheet-in sm:inset-y-2 sm:right-2 sm:w-md sm:rounded-xl'

/** Traps the focus, closes on Escape, and gives the focus back to what opened it. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  size = 'md',
  footer,
  children,
}: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-fade-in bg-scrim" />
        <Radix.Content
          {...(description ? {} : { 'aria-describedby': undefined })}
          onOpenAutoFocus={focusFirstField}
          className={classes(
            'fixed z-50 flex flex-col border bg-raised shadow-raised outline-none',
            size === 'sheet' ? SHEET : CENTERED,
            PLACES[size],
          )}
        >
          <header className="flex items-start justify-between gap-4 px-5 pt-4 pb-3">
            <div className="min-w-0">
              <Radix.Title className="text-lg font-semibold text-text">{title}</Radix.Title>
              {description && (
                <Radix.Description className="mt-0.5 text-sm text-muted">{description}</Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <IconButton
                label={common.close}
                size="sm"
                icon={<X aria-hidden className="size-4" />}
                className="-mr-1.5"
              />
            </Radix.Close>
          </header>
          <div data-body className="min-h-0 flex-1 overflow-y-auto px-5 pt-1 pb-5">
            {children}
          </div>
          {footer && (
            <footer className="flex flex-wrap justify-end gap-2 border-t px-5 py-3">{footer}</footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** What is to be filled in first, not the button that closes. A phone's keyboard would hide half of the dialog. */
function focusFirstField(event: Event) {
  event.preventDefault()
  const dialog = event.currentTarget as HTMLElement
  const field = matchMedia('(pointer: coarse)').matches
    ? null
    : dialog.querySelector<HTMLElement>(
        '[data-body] :is(input, textarea):not([hidden], :disabled, [readonly])',
      )
  ;(field ?? dialog).focus()
}

interface ConfirmDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  /** What will be gone, and what will stay. */
  children?: ReactNode
  /** The verb: "Delete user". */
  confirm: string
  danger?: boolean
  /** Closes the dialog when it resolves; a failure stays on show in it. */
  onConfirm: () => Promise<unknown>
}

export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  children,
  confirm,
  danger = true,
  onConfirm,
}: ConfirmDialogProps) {
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<unknown>(null)

  function change(next: boolean) {
    setError(null)
    onOpenChange(next)
  }

  async function run() {
    setPending(true)
    setError(null)
    try {
      await onConfirm()
      onOpenChange(false)
    } catch (problem) {
      setError(problem)
    } finally {
      setPending(false)
    }
  }

  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title={title}
      size="sm"
      footer={
        <>
          <Button onClick={() => change(false)}>{common.cancel}</Button>
          <Button variant={danger ? 'danger' : 'primary'} pending={pending} onClick={run}>
            {confirm}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-sm text-muted">
        {children}
        {error !== null && <ErrorNotice error={error} />}
      </div>
    </Dialog>
  )
}
