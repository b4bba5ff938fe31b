import { type FormEvent, useId, useState } from 'react'
import type { User } from '../../src/control/users/schema'
import { NewPasswordField } from '../auth/new-password-field'
import { aboutField } from '../auth/problems'
import { Button } from '../kit/button'
import { Dialog } from '../kit/dialog'
import { ErrorNotice } from '../kit/notices'
import { useToast } from '../kit/toasts'
import { texts as common } from '../texts/common'
import { texts as users } from '../texts/users'
import { useResetPassword } from './data'

const texts = users.password

export function PasswordDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const reset = useResetPassword()
  const toast = useToast()
  const form = useId()
  const [password, setPassword] = useState('')

  async function submit(event: FormEvent) {
    event.preventDefault()
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
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="sm"
      title={texts.title(user.display_name)}
      footer={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" form={form} variant="primary" pending={reset.isPending}>
            {texts.submit}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        <NewPasswordField hint={texts.hint} problem={reset.error} value={password} onChange={setPassword} />
        {reset.error && !aboutField(reset.error, 'password_too_short') && <ErrorNotice error={reset.error} />}
      </form>
    </Dialog>
  )
}
