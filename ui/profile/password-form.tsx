import { type FormEvent, useState } from 'react'
import { useAccount } from '../auth/data'
import { NewPasswordField } from '../auth/new-password-field'
import { aboutField, useWait } from '../auth/problems'
import { SubmitButton } from '../auth/submit-button'
import { Field } from '../kit/field'
import { ErrorNotice } from '../kit/notices'
import { PasswordInput } from '../kit/password-input'
import { useToast } from '../kit/toasts'
import { useChangePassword } from './data'

const FIELD_CODES = ['invalid_credentials', 'password_too_short']

export function PasswordForm() {
  const { has_password, username } = useAccount()
  const change = useChangePassword()
  const wait = useWait(change.error)
  const toast = useToast()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')

  function submit(event: FormEvent) {
    event.preventDefault()
    change.mutate(
      { new_password: next, ...(has_password ? { current_password: current } : {}) },
      {
        onSuccess: () => {
          setCurrent('')
          setNext('')
          toast('Your password is changed. Other browsers are signed out.')
        },
      },
    )
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      {has_password && (
        <Field label="Current password" error={aboutField(change.error, 'invalid_credentials')}>
          <PasswordInput
            name="current_password"
            autoComplete="current-password"
            required
            value={current}
            onChange={(event) => setCurrent(event.target.value)}
          />
        </Field>
      )}
      <NewPasswordField
        label="New password"
        name="new_password"
        hint="Every other browser that is signed in to this account is signed out."
        problem={change.error}
        value={next}
        onChange={setNext}
      />
      {change.error && !aboutField(change.error, ...FIELD_CODES) && (
        <ErrorNotice error={change.error} title="Your password was not changed" />
      )}
      <SubmitButton className="self-start" pending={change.isPending} wait={wait}>
        Change password
      </SubmitButton>
    </form>
  )
}
