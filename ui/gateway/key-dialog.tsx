import { type FormEvent, useId, useState } from 'react'
import type { User } from '../../src/control/users/schema'
import { Button } from '../kit/button'
import { Combobox } from '../kit/combobox'
import { CodeBlock } from '../kit/copying'
import { Dialog } from '../kit/dialog'
import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { ErrorNotice, Notice } from '../kit/notices'
import { Select } from '../kit/select'
import { useCreateGatewayKey } from './data'
import { SetupLines } from './setup-guide'

type Billing = 'own' | 'organization'
const BILLINGS: readonly { value: Billing; label: string; hint: string }[] = [
  {
    value: 'own',
    label: 'Own credential',
    hint: 'The developer’s key or plan goes through to the provider.',
  },
  { value: 'organization', label: 'Organization', hint: 'The gateway puts the organization’s key in.' },
]

/** Makes a key, and shows it the one time that anybody sees it, with the lines to copy. */
export function KeyDialog({ users, onClose }: { users: readonly User[]; onClose: () => void }) {
  const create = useCreateGatewayKey()
  const form = useId()
  const [userId, setUserId] = useState<string | null>(null)
  const [name, setName] = useState('')
  const [billing, setBilling] = useState<Billing>('own')
  const [missing, setMissing] = useState(false)

  function submit(event: FormEvent) {
    event.preventDefault()
    setMissing(userId === null)
    if (userId !== null) create.mutate({ user_id: userId, billing, name: name.trim() || undefined })
  }

  if (create.data) return <Created token={create.data.token} billing={billing} onClose={onClose} />
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Create a gateway key"
      description="One for each developer, or for each of their machines."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" pending={create.isPending}>
            Create key
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Developer" error={missing && userId === null ? 'Choose whose key it is.' : undefined}>
          <Combobox
            label="Developer"
            value={userId}
            onChange={setUserId}
            options={users
              .filter(({ disabled }) => !disabled)
              .map(({ id, display_name, username }) => ({ value: id, label: display_name, hint: username }))}
            empty="Nobody fits. Accounts are made under Settings, Users."
            className="w-full border-line-strong bg-surface shadow-card"
          />
        </Field>
        <Field label="Name" hint="Optional: which machine, or what for.">
          <Input
            name="name"
            autoComplete="off"
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field label="Billed to">
          <Select value={billing} onChange={setBilling} options={BILLINGS} />
        </Field>
        {create.error && <ErrorNotice error={create.error} />}
      </form>
    </Dialog>
  )
}

const Created = ({ token, billing, onClose }: { token: string; billing: Billing; onClose: () => void }) => (
  <Dialog
    open
    onOpenChange={(open) => !open && onClose()}
    size="lg"
    title="The key is made"
    footer={
      <Button variant="primary" onClick={onClose}>
        Done
      </Button>
    }
  >
    <div className="flex flex-col gap-4">
      <Notice tone="warn">
        <p>Copy it now: it is shown this once, and only its digest is kept.</p>
        <CodeBlock text={token} label="gateway key" className="mt-2" />
      </Notice>
      <SetupLines billing={billing} gatewayKey={token} />
    </div>
  </Dialog>
)
