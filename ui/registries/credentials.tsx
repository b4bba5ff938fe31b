import { KeyRound, Plus, RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../kit/button'
import { Card } from '../kit/card'
import { ConfirmDialog } from '../kit/dialog'
import { Field } from '../kit/field'
import { FormDialog } from '../kit/form-dialog'
import { Input } from '../kit/input'
import { ErrorNotice } from '../kit/notices'
import { PasswordInput } from '../kit/password-input'
import { SkeletonRows } from '../kit/placeholders'
import { useToast } from '../kit/toasts'
import { texts as common } from '../texts/common'
import { texts as registries } from '../texts/registries'
import { type ModelView, useCredentials, useDeleteCredential, useSaveCredential } from './data'
import { isEnvName } from './registration'

const texts = registries.credentials

/** The keys of providers: their names, and ways to replace or remove them. Their values never come back. */
export function Credentials({ models }: { models: readonly ModelView[] }) {
  const { data, error, refetch } = useCredentials()
  const [editing, setEditing] = useState<{ name: string } | null>(null)
  const [doomed, setDoomed] = useState<string | null>(null)
  const remove = useDeleteCredential()
  return (
    <Card
      title={texts.title}
      flush
      actions={
        <IconButton
          size="sm"
          label={texts.add}
          icon={<Plus aria-hidden className="size-4" />}
          onClick={() => setEditing({ name: '' })}
        />
      }
    >
      {error ? (
        <div className="px-4 pb-4">
          <ErrorNotice title={texts.failed} error={error} onRetry={() => void refetch()} />
        </div>
      ) : !data ? (
        <SkeletonRows rows={2} label={texts.loading} />
      ) : data.length === 0 ? (
        <p className="px-4 pb-4 text-sm text-muted">{texts.empty}</p>
      ) : (
        <ul className="divide-y divide-line border-t">
          {data.map(({ name }) => (
            <li key={name} className="flex min-w-0 items-center gap-2 py-1.5 pr-2 pl-4">
              <KeyRound aria-hidden className="size-3.5 shrink-0 text-faint" />
              <span className="min-w-0 flex-1 truncate font-mono text-xs">{name}</span>
              <IconButton
                size="sm"
                label={texts.replace(name)}
                icon={<RefreshCw aria-hidden className="size-3.5" />}
                onClick={() => setEditing({ name })}
              />
              <IconButton
                size="sm"
                label={texts.deletion.label(name)}
                icon={<Trash2 aria-hidden className="size-3.5" />}
                onClick={() => setDoomed(name)}
              />
            </li>
          ))}
        </ul>
      )}
      {editing && <CredentialDialog name={editing.name} onClose={() => setEditing(null)} />}
      <ConfirmDialog
        open={doomed !== null}
        onOpenChange={(open) => !open && setDoomed(null)}
        title={texts.deletion.title(doomed ?? '')}
        confirm={texts.deletion.confirm}
        onConfirm={() => remove.mutateAsync(doomed!)}
      >
        <p>{consequence(models, doomed)}</p>
      </ConfirmDialog>
    </Card>
  )
}

function consequence(models: readonly ModelView[], name: string | null): string {
  const users = models
    .filter(({ binding }) => 'credentialRef' in binding && binding.credentialRef === `secret://${name}`)
    .map(({ logicalId }) => logicalId)
  return users.length === 0 ? texts.deletion.unused : texts.deletion.usedBy(users.join(', '))
}

/** `name` is empty for a new one. */
function CredentialDialog({ name: fixed, onClose }: { name: string; onClose: () => void }) {
  const [name, setName] = useState(fixed)
  const [value, setValue] = useState('')
  const [tried, setTried] = useState(false)
  const save = useSaveCredential()
  const toast = useToast()

  function submit() {
    setTried(true)
    if (!isEnvName(name) || !value) return
    save.mutate(
      { name: name.trim(), value: value.trim() },
      {
        onSuccess: () => {
          toast(texts.saved(name))
          onClose()
        },
      },
    )
  }

  return (
    <FormDialog
      size="sm"
      title={fixed ? texts.replace(fixed) : texts.add}
      submit={common.save}
      pending={save.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      {!fixed && (
        <Field
          label={texts.name}
          required
          hint={texts.nameHint}
          error={tried && !isEnvName(name) && texts.badName}
        >
          <Input
            autoComplete="off"
            spellCheck={false}
            placeholder={texts.nameExample}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
      )}
      <Field label={texts.key} required error={tried && !value && texts.noKey}>
        <PasswordInput autoComplete="off" value={value} onChange={(event) => setValue(event.target.value)} />
      </Field>
      {save.error && <ErrorNotice title={texts.saveFailed} error={save.error} />}
    </FormDialog>
  )
}
