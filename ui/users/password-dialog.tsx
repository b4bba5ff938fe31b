import { useState } from 'react'
import type { User } from '../../src/control/users/schema'
import { NewPasswordField } from '../auth/new-password-field'
import { aboutField } from '../auth/problems'
import { FormDialog } from '../kit/form-dialog'
import { ErrorNotice } from '../kit/notices'
import { useToast } from '../kit/toasts'
import { texts as users } from '../texts/users'
import { useResetPassword } from './data'

const texts = users.password

export function PasswordDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const reset = useResetPassword()
  const toast = useToast()
  const [password, setPassword] = useState('')

  function submit() {
    reset.mutate(
      { id: user.id, password },
      {
        onSuccess: () => {
          toast(texts.done(user.display_name))
          onClose()
        },
      },
    )
  }

  return (
    <FormDialog
      size="sm"
      title={texts.title(user.display_name)}
      submit={texts.submit}
      pending={reset.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <NewPasswordField hint={texts.hint} problem={reset.error} value={password} onChange={setPassword} />
      {reset.error && !aboutField(reset.error, 'password_too_short') && <ErrorNotice error={reset.error} />}
    </FormDialog>
  )
}
