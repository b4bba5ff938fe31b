import { type FormEvent, type ReactNode, useId } from 'react'
import { texts as common } from '../texts/common'
import { Button } from './button'
import { Dialog } from './dialog'

interface FormDialogProps {
  title: ReactNode
  description?: ReactNode
  size?: 'sm' | 'md' | 'lg'
  /** The verb: "Create key". */
  submit: string
  pending: boolean
  onSubmit: () => void
  onClose: () => void
  /** More buttons, before the one that leaves. */
  actions?: ReactNode
  /** The fields, and below them what went wrong. */
  children: ReactNode
}

/** A form to fill in and send, or to leave. */
export function FormDialog({
  submit,
  pending,
  onSubmit,
  onClose,
  actions,
  children,
  ...dialog
}: FormDialogProps) {
  const form = useId()
  function send(event: FormEvent) {
    event.preventDefault()
    onSubmit()
  }
  return (
    <Dialog
      {...dialog}
      open
      onOpenChange={(open) => !open && onClose()}
      footer={
        <>
          {actions}
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" form={form} variant="primary" pending={pending}>
            {submit}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={send} className="flex flex-col gap-4">
        {children}
      </form>
    </Dialog>
  )
}
