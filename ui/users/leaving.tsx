import type { User } from '../../src/control/users/schema'
import { useAccount } from '../auth/data'
import { ConfirmDialog } from '../kit/dialog'
import { useToast } from '../kit/toasts'
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
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={disabled ? `Enable ${name}?` : `Disable ${name}?`}
      confirm={disabled ? 'Enable' : 'Disable'}
      danger={!disabled}
      onConfirm={async () => {
        await update.mutateAsync({ id: user.id, disabled: !disabled })
        toast(disabled ? `${name} may sign in again.` : `${name} is disabled.`)
      }}
    >
      {disabled ? (
        <p>The account may sign in again, and its API keys work again.</p>
      ) : (
        <p>
          The account is signed out everywhere at once, and its API keys stop working. Its runs and sessions
          stay.
        </p>
      )}
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
      title={`Delete ${user.display_name}?`}
      confirm="Delete user"
      onConfirm={async () => {
        await remove.mutateAsync(user.id)
        toast(`${user.display_name} is deleted.`)
      }}
    >
      <p>
        The account, its sign-ins and its API keys are gone for good. Its runs and chats stay, and remember
        whose they were.
      </p>
      <IfItIsMe user={user} />
    </ConfirmDialog>
  )
}

const IfItIsMe = ({ user }: { user: User }) =>
  useAccount().id === user.id ? (
    <p className="font-medium text-warn">This is your own account: you will be signed out.</p>
  ) : null
