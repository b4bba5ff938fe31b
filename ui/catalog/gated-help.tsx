import { type FormEvent, useState } from 'react'
import { Button } from '../kit/button'
import { Field } from '../kit/field'
import { ErrorNotice, Notice } from '../kit/notices'
import { PasswordInput } from '../kit/password-input'
import { useCredentials, useSaveCredential } from '../registries/data'

/** The reserved name of the hub's token. */
const HUB_TOKEN = 'HF_TOKEN'

/** A gated repository gives its files to those who accepted its terms: how to become one of them. */
export function GatedHelp({ repo, onSaved }: { repo: string; onSaved?: () => void }) {
  const { data: known = [] } = useCredentials()
  const [value, setValue] = useState('')
  const save = useSaveCredential()
  const stored = known.some(({ name }) => name === HUB_TOKEN)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!value.trim()) return
    save.mutate(
      { name: HUB_TOKEN, value: value.trim() },
      {
        onSuccess: () => {
          setValue('')
          onSaved?.()
        },
      },
    )
  }

  return (
    <Notice tone="warn">
      <p className="font-medium">Its terms are to be accepted first</p>
      <ol className="mt-1 flex list-decimal flex-col gap-1 pl-4 text-sm">
        <li>
          Sign in at the hub, open <code className="text-xs">{repo}</code> there and accept its terms.
        </li>
        <li>Make an access token that may read, in the settings of your account there.</li>
        <li>
          {stored ? (
            <>
              A token is stored here as <code className="text-xs">{HUB_TOKEN}</code>. If the download is
              refused, replace it:
            </>
          ) : (
            <>
              Paste it here. It stays on this machine as <code className="text-xs">{HUB_TOKEN}</code>, unless
              you are signed in to the hub on this machine already.
            </>
          )}
        </li>
      </ol>
      <form onSubmit={submit} className="mt-2 flex items-end gap-2">
        <Field label="Access token of the hub" hideLabel className="flex-1">
          <PasswordInput
            autoComplete="off"
            placeholder="hf_…"
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        </Field>
        <Button type="submit" pending={save.isPending} disabled={!value.trim()}>
          {stored ? 'Replace' : 'Save'}
        </Button>
      </form>
      {save.error && <ErrorNotice className="mt-2" title="It was not saved" error={save.error} />}
    </Notice>
  )
}
