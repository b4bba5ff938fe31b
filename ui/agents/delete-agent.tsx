import { ConfirmDialog } from '../kit/dialog'
import { useToast } from '../kit/toasts'
import { useDeleteAgent } from './data'

interface DeleteAgentProps {
  agent: { id: string; name: string }
  onClose: () => void
  onDeleted?: () => void
}

export function DeleteAgent({ agent: { id, name }, onClose, onDeleted }: DeleteAgentProps) {
  const remove = useDeleteAgent()
  const toast = useToast()
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Delete this agent?"
      confirm="Delete agent"
      onConfirm={async () => {
        await remove.mutateAsync(id)
        toast(`${name} is deleted.`)
        onDeleted?.()
      }}
    >
      <p>
        <span className="break-words text-text">{name}</span> goes with all its versions, its triggers and its
        capture policy. Its runs, chats and drafts stay.
      </p>
    </ConfirmDialog>
  )
}
