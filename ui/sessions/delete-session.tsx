import { ConfirmDialog } from '../kit/dialog'
import { useToast } from '../kit/toasts'
import { Worded } from '../kit/worded'
import { texts as sessions } from '../texts/sessions'
import { useDeleteSession } from './data'

const texts = sessions.deletion

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
      title={texts.title}
      confirm={texts.confirm}
      onConfirm={async () => {
        await remove.mutateAsync(id)
        toast(texts.done)
        onDeleted?.()
      }}
    >
      <p>
        <Worded
          text={texts.consequences}
          with={{ title: <span className="text-text">{title.slice(0, 80)}</span> }}
        />
      </p>
    </ConfirmDialog>
  )
}
