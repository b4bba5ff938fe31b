import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { PasswordInput } from '../kit/password-input'
import { Select } from '../kit/select'
import { texts as registries } from '../texts/registries'
import { useCredentials } from './data'
import { NEW_CREDENTIAL, type Problems, type RemoteForm } from './registration'

const texts = registries.remote.credential

interface CredentialFieldsProps {
  form: RemoteForm
  problems: Problems
  onChange: (part: Partial<RemoteForm>) => void
}

/** Stands for "none" where the select allows no empty value. */
const NO_CREDENTIAL = '\u0000none'

/** The key a provider is sent: one that is stored, a new one, or none. */
export function CredentialFields({ form, problems, onChange }: CredentialFieldsProps) {
  const { data: known = [] } = useCredentials()
  const names = known.map(({ name }) => name)
  // One that only the environment has, or that is gone, is still what the registration says.
  const listed = form.credential && form.credential !== NEW_CREDENTIAL && !names.includes(form.credential)
  return (
    <>
      <Field label={texts.label} hint={texts.hint} error={problems.credential}>
        <Select
          value={form.credential || NO_CREDENTIAL}
          onChange={(value) => onChange({ credential: value === NO_CREDENTIAL ? '' : value })}
          options={[
            { value: NO_CREDENTIAL, label: texts.none },
            ...(listed
              ? [{ value: form.credential, label: form.credential, hint: texts.fromEnvironment }]
              : []),
            ...names.map((name) => ({ value: name, label: name })),
            { value: NEW_CREDENTIAL, label: texts.add },
          ]}
          className="w-full"
        />
      </Field>
      {form.credential === NEW_CREDENTIAL && (
        <div className="grid gap-4 rounded-lg border bg-sunken/50 p-3 sm:grid-cols-2">
          <Field label={registries.credentials.name} required error={problems.secretName}>
            <Input
              autoComplete="off"
              spellCheck={false}
              placeholder={registries.credentials.nameExample}
              value={form.secretName}
              onChange={(event) => onChange({ secretName: event.target.value })}
            />
          </Field>
          <Field label={registries.credentials.key} required error={problems.secretValue}>
            <PasswordInput
              autoComplete="off"
              value={form.secretValue}
              onChange={(event) => onChange({ secretValue: event.target.value })}
            />
          </Field>
        </div>
      )}
    </>
  )
}
