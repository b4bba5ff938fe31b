import { type FormEvent, useState } from 'react'
import { Button } from '../kit/button'
import { Field } from '../kit/field'
import { ErrorNotice, Notice } from '../kit/notices'
import { PasswordInput } from '../kit/password-input'
import { Worded } from '../kit/worded'
import { useCredentials, useSaveCredential } from '../registries/data'
import { texts as catalog } from '../texts/catalog'
import { texts as common } from '../texts/common'

const texts = catalog.gated

/** The reserved name of the hub's token. */
const HUB_TOKEN = 'HF_TOKEN'
const TOKEN_SAMPLE = 'hf_…'

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
      <p className="font-medium">{texts.title}</p>
      <ol className="mt-1 flex list-decimal flex-col gap-1 pl-4 text-sm">
        <li>
          <Worded text={texts.accept} with={{ repo: <code className="text-xs">{repo}</code> }} />
        </li>
        <li>{texts.makeToken}</li>
        <li>
          <Worded
            text={stored ? texts.stored : texts.paste}
            with={{ name: <code className="text-xs">{HUB_TOKEN}</code> }}
          />
        </li>
      </ol>
      <form onSubmit={submit} className="mt-2 flex items-end gap-2">
        <Field label={texts.token} hideLabel className="flex-1">
          <PasswordInput
            autoComplete="off"
            placeholder={TOKEN_SAMPLE}
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        </Field>
        <Button type="submit" pending={save.isPending} disabled={!value.trim()}>
          {stored ? texts.replace : common.save}
        </Button>
      </form>
      {save.error && <ErrorNotice className="mt-2" title={texts.failed} error={save.error} />}
    </Notice>
  )
}
