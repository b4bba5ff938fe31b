import { type FormEvent, useState } from 'react'
import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { ErrorNotice } from '../kit/notices'
import { texts as auth } from '../texts/auth'
import { useSetup } from './data'
import { Frame } from './frame'
import { NewPasswordField } from './new-password-field'
import { aboutField, useWait } from './problems'
import { SubmitButton } from './submit-button'

const texts = auth.setup

const FIELD_CODES = ['invalid_username', 'password_too_short']

/** The first account of an install. */
export function SetupScreen({ onDone }: { onDone: () => void }) {
  const setup = useSetup(onDone)
  const wait = useWait(setup.error)
  const [username, setUsername] = useState('')
  const [displayName, setDisplayName] = useState('')
  const [password, setPassword] = useState('')

  function submit(event: FormEvent) {
    event.preventDefault()
    setup.mutate({ username, password, ...(displayName.trim() ? { display_name: displayName.trim() } : {}) })
  }

  return (
    <Frame title={texts.title} description={texts.description} footer={texts.footer}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {setup.error && !aboutField(setup.error, ...FIELD_CODES) && <ErrorNotice error={setup.error} />}
        <Field
          label={texts.username}
          hint={texts.usernameHint}
          error={aboutField(setup.error, 'invalid_username')}
        >
          <Input
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
            required
            value={username}
            onChange={(event) => setUsername(event.target.value.toLowerCase())}
          />
        </Field>
        <Field label={texts.displayName} hint={texts.displayNameHint}>
          <Input
            name="display_name"
            autoComplete="name"
            value={displayName}
            onChange={(event) => setDisplayName(event.target.value)}
          />
        </Field>
        <NewPasswordField
          hint={texts.passwordHint}
          problem={setup.error}
          value={password}
          onChange={setPassword}
        />
        <SubmitButton size="lg" pending={setup.isPending} className="mt-1" wait={wait}>
          {texts.submit}
        </SubmitButton>
      </form>
    </Frame>
  )
}
