import type { User } from '../../src/control/users/schema'
import { useAccount } from '../auth/data'
import { ConfirmDialog } from '../kit/dialog'
import { useToast } from '../kit/toasts'
import { texts } from '../texts/users'
import { useDeleteUser, useUpdateUser } from './data'

interface LeavingProps {
  user: User
  onClose: () => void
}

/** Disables an account, or lets it in again. */
export function DisableUser({ user, onClose }: LeavingProps) {
  const update = useUpdateUser()
  const toast = useToast()
  const { disabled, display_name: name } = user
  const change = disabled ? texts.enable : texts.disable
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={change.title(name)}
      confirm={change.action}
      danger={!disabled}
      onConfirm={async () => {
        await update.mutateAsync({ id: user.id, disabled: !disabled })
        toast(change.done(name))
      }}
    >
      <p>{change.consequences}</p>
      <IfItIsMe user={user} />
    </ConfirmDialog>
  )
}

export function DeleteUser({ user, onClose }: LeavingProps) {
  const remove = useDeleteUser()
  const toast = useToast()
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={texts.delete.title(user.display_name)}
      confirm={texts.delete.confirm}
      onConfirm={async () => {
        await remove.mutateAsync(user.id)
        toast(texts.delete.done(user.display_name))
      }}
    >
      <p>{texts.delete.consequences}</p>
      <IfItIsMe user={user} />
    </ConfirmDialog>
  )
}

const IfItIsMe = ({ user }: { user: User }) =>
  useAccount().id === user.id ? <p className="font-medium text-warn">{texts.ownAccount}</p> : null
