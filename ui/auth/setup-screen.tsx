import { type FormEvent, useState } from 'react'
import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { ErrorNotice } from '../kit/notices'
import { useSetup } from './data'
import { Frame } from './frame'
import { NewPasswordField } from './new-password-field'
import { aboutField, useWait } from './problems'
import { SubmitButton } from './submit-button'

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
    <Frame
      title="Welcome to Tycho"
      description="Make the first account. It is an admin: it may change everything and add other people."
      footer="It stays on this machine: nothing is sent anywhere, and no email is needed."
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        {setup.error && !aboutField(setup.error, ...FIELD_CODES) && <ErrorNotice error={setup.error} />}
        <Field
          label="Username"
          hint="2 to 64 lower-case letters, digits, dots, dashes or underscores."
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
        <Field label="Your name" hint="As others see it. You can leave it out.">
          <Input
            name="display_name"
            autoComplete="name"
            value={displayName}
            onChange={(event) => setDisplayName(event.target.value)}
          />
        </Field>
        <NewPasswordField
          hint="Nobody can recover it for you: keep it safe."
          problem={setup.error}
          value={password}
          onChange={setPassword}
        />
        <SubmitButton size="lg" pending={setup.isPending} className="mt-1" wait={wait}>
          Create account
        </SubmitButton>
      </form>
    </Frame>
  )
}
