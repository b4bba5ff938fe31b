import { type FormEvent, useRef, useState } from 'react'
import { ApiError } from '../api'
import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { ErrorNotice, Notice } from '../kit/notices'
import { PasswordInput } from '../kit/password-input'
import { wasEnded } from '../session'
import { texts as auth } from '../texts/auth'
import { useLogin } from './data'
import { Frame } from './frame'
import { useWait } from './problems'
import { SubmitButton } from './submit-button'

const texts = auth.login

export function LoginScreen() {
  const login = useLogin()
  const wait = useWait(login.error)
  const form = useRef<HTMLFormElement>(null)
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')

  function submit(event: FormEvent) {
    event.preventDefault()
    login.mutate(
      { username: username.trim(), password },
      // Most often it is a slip in the password: the handle stays, and typing again replaces it.
      { onError: () => form.current?.querySelector<HTMLInputElement>('[name=password]')?.select() },
    )
  }

  return (
    <Frame title={texts.title} footer={texts.footer}>
      <form ref={form} onSubmit={submit} className="flex flex-col gap-4">
        {!login.error && wasEnded() && <Notice>{texts.ended}</Notice>}
        {login.error && <ErrorNotice error={login.error} help={helpFor(login.error)} />}
        <Field label={texts.username}>
          <Input
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
            required
            value={username}
            onChange={(event) => setUsername(event.target.value)}
          />
        </Field>
        <Field label={texts.password}>
          <PasswordInput
            name="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
        <SubmitButton size="lg" pending={login.isPending} className="mt-1" wait={wait}>
          {texts.submit}
        </SubmitButton>
      </form>
    </Frame>
  )
}

function helpFor(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return
  if (error.code === 'account_disabled') return texts.accountDisabled
  if (error.code === 'unreachable') return texts.unreachable
}
