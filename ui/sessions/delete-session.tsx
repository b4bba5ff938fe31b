import { ConfirmDialog } from '../kit/dialog'
import { useToast } from '../kit/toasts'
import { useDeleteSession } from './data'

interface DeleteSessionProps {
  id: string
  title: string
  onClose: () => void
  onDeleted?: () => void
}

export function DeleteSession({ id, title, onClose, onDeleted }: DeleteSessionProps) {
  const remove = useDeleteSession()
  const toast = useToast()
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Delete this session?"
      confirm="Delete session"
      onConfirm={async () => {
        await remove.mutateAsync(id)
        toast('The session is deleted.')
        onDeleted?.()
      }}
    >
      <p>
        All messages of “<span className="text-text">{title.slice(0, 80)}</span>” are gone for good. The runs
        they came from stay.
      </p>
    </ConfirmDialog>
  )
}
