import { KeyRound, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { ApiKey } from '../../src/control/auth/schema'
import { useAccount } from '../auth/data'
import { Badge } from '../kit/badge'
import { Button, IconButton } from '../kit/button'
import { CodeBlock } from '../kit/copying'
import { ConfirmDialog } from '../kit/dialog'
import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { ErrorNotice, Notice } from '../kit/notices'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { RelativeTime } from '../kit/relative-time'
import { Select } from '../kit/select'
import { useToast } from '../kit/toasts'
import { Worded } from '../kit/worded'
import { texts as profile } from '../texts/profile'
import { ROLE_OPTIONS, rolesUpTo } from '../users/roles'
import { useApiKeys, useCreateApiKey, useRevokeApiKey } from './data'

const texts = profile.keys

/** Keys for programs that act as this account. */
export function ApiKeys() {
  const keys = useApiKeys()
  const [leaving, setLeaving] = useState<ApiKey | null>(null)
  const revoke = useRevokeApiKey()
  const toast = useToast()
  return (
    <div className="flex flex-col gap-5">
      <NewKey />
      <div className="overflow-hidden rounded-lg border">
        {keys.isPending && <SkeletonRows rows={2} />}
        {keys.error && (
          <ErrorNotice
            error={keys.error}
            title={texts.failed}
            onRetry={() => void keys.refetch()}
            className="m-3"
          />
        )}
        {keys.data?.length === 0 && (
          <EmptyState icon={<KeyRound aria-hidden />} title={texts.empty} className="py-7">
            {texts.hint}
          </EmptyState>
        )}
        <ul className="divide-y divide-line">
          {keys.data?.map((key) => (
            <KeyRow key={key.id} apiKey={key} onRevoke={() => setLeaving(key)} />
          ))}
        </ul>
      </div>
      <ConfirmDialog
        open={leaving !== null}
        onOpenChange={(open) => !open && setLeaving(null)}
        title={texts.revoke.title(leaving?.name ?? '')}
        confirm={texts.revoke.confirm}
        onConfirm={async () => {
          if (leaving) await revoke.mutateAsync(leaving.id)
          toast(texts.revoke.done)
        }}
      >
        {texts.revoke.consequence}
      </ConfirmDialog>
    </div>
  )
}

function NewKey() {
  const { role } = useAccount()
  const create = useCreateApiKey()
  const [name, setName] = useState('')
  const [wanted, setWanted] = useState(role)

  function submit(event: FormEvent) {
    event.preventDefault()
    create.mutate({ name: name.trim(), role: wanted }, { onSuccess: () => setName('') })
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <Field label={texts.name} className="min-w-48 flex-1">
          <Input
            name="key_name"
            placeholder={texts.nameExample}
            autoComplete="off"
            required
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field label={texts.role} className="w-32">
          <Select
            value={wanted}
            onChange={setWanted}
            options={rolesUpTo(role).map((value) => ({ value, label: ROLE_OPTIONS[value].label }))}
          />
        </Field>
        <Button type="submit" variant="primary" pending={create.isPending}>
          {texts.create}
        </Button>
      </div>
      {create.error && <ErrorNotice error={create.error} title={texts.createFailed} />}
      {create.data && (
        <Notice>
          <p className="font-medium">{texts.copyNow(create.data.api_key.name)}</p>
          <CodeBlock text={create.data.token} label={texts.token} className="mt-2" />
        </Notice>
      )}
    </form>
  )
}

const KeyRow = ({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: () => void }) => (
  <li className="flex items-center gap-3 px-3 py-2.5 text-sm">
    <div className="min-w-0 flex-1">
      <p className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 truncate font-medium">{apiKey.name}</span>
        <Badge>{apiKey.role}</Badge>
        {apiKey.revoked_at && <Badge tone="bad">{texts.revoked}</Badge>}
      </p>
      <p className="text-xs text-muted">
        <code>{apiKey.token_prefix}…</code>
        {' · '}
        {apiKey.last_used_at ? (
          <Worded text={texts.used} with={{ time: <RelativeTime value={apiKey.last_used_at} /> }} />
        ) : (
          texts.neverUsed
        )}
      </p>
    </div>
    {!apiKey.revoked_at && (
      <IconButton
        label={texts.revoke.label(apiKey.name)}
        icon={<Trash2 aria-hidden className="size-4" />}
        onClick={onRevoke}
      />
    )}
  </li>
)
