import { type FormEvent, useState } from 'react'
import { useAccount } from '../auth/data'
import { NewPasswordField } from '../auth/new-password-field'
import { aboutField, useWait } from '../auth/problems'
import { SubmitButton } from '../auth/submit-button'
import { Field } from '../kit/field'
import { ErrorNotice } from '../kit/notices'
import { PasswordInput } from '../kit/password-input'
import { useToast } from '../kit/toasts'
import { texts as profile } from '../texts/profile'
import { useChangePassword } from './data'

const texts = profile.password

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
          toast(texts.saved)
        },
      },
    )
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      {has_password && (
        <Field label={texts.current} error={aboutField(change.error, 'invalid_credentials')}>
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
        label={texts.next}
        name="new_password"
        hint={texts.hint}
        problem={change.error}
        value={next}
        onChange={setNext}
      />
      {change.error && !aboutField(change.error, ...FIELD_CODES) && (
        <ErrorNotice error={change.error} title={texts.failed} />
      )}
      <SubmitButton className="self-start" pending={change.isPending} wait={wait}>
        {texts.save}
      </SubmitButton>
    </form>
  )
}
