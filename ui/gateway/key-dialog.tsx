import { useState } from 'react'
import type { User } from '../../src/control/users/schema'
import { Button } from '../kit/button'
import { Combobox } from '../kit/combobox'
import { CodeBlock } from '../kit/copying'
import { Dialog } from '../kit/dialog'
import { Field } from '../kit/field'
import { FormDialog } from '../kit/form-dialog'
import { Input } from '../kit/input'
import { ErrorNotice, Notice } from '../kit/notices'
import { Select } from '../kit/select'
import { texts as gateway } from '../texts/gateway'
import { useCreateGatewayKey } from './data'
import { SetupLines } from './setup-guide'

const texts = gateway.keys
type Billing = 'own' | 'organization'
const BILLINGS = (['own', 'organization'] as const).map((value) => ({ value, ...texts.new.payers[value] }))

/** Makes a key, and shows it the one time that anybody sees it, with the lines to copy. */
export function KeyDialog({ users, onClose }: { users: readonly User[]; onClose: () => void }) {
  const create = useCreateGatewayKey()
  const [userId, setUserId] = useState<string | null>(null)
  const [name, setName] = useState('')
  const [billing, setBilling] = useState<Billing>('own')
  const [missing, setMissing] = useState(false)

  function submit() {
    setMissing(userId === null)
    if (userId !== null) create.mutate({ user_id: userId, billing, name: name.trim() || undefined })
  }

  if (create.data) return <Created token={create.data.token} billing={billing} onClose={onClose} />
  return (
    <FormDialog
      title={texts.new.title}
      description={texts.new.description}
      submit={texts.create}
      pending={create.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={texts.developer}
        error={missing && userId === null ? texts.new.developerMissing : undefined}
      >
        <Combobox
          label={texts.developer}
          value={userId}
          onChange={setUserId}
          options={users
            .filter(({ disabled }) => !disabled)
            .map(({ id, display_name, username }) => ({ value: id, label: display_name, hint: username }))}
          empty={texts.new.noDeveloper}
          className="w-full border-line-strong bg-surface shadow-card"
        />
      </Field>
      <Field label={texts.name} hint={texts.new.nameHint}>
        <Input
          name="name"
          autoComplete="off"
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <Field label={texts.billedTo}>
        <Select value={billing} onChange={setBilling} options={BILLINGS} />
      </Field>
      {create.error && <ErrorNotice error={create.error} />}
    </FormDialog>
  )
}

const Created = ({ token, billing, onClose }: { token: string; billing: Billing; onClose: () => void }) => (
  <Dialog
    open
    onOpenChange={(open) => !open && onClose()}
    size="lg"
    title={texts.created.title}
    footer={
      <Button variant="primary" onClick={onClose}>
        {gateway.done}
      </Button>
    }
  >
    <div className="flex flex-col gap-4">
      <Notice tone="warn">
        <p>{texts.created.hint}</p>
        <CodeBlock text={token} label={texts.created.copied} className="mt-2" />
      </Notice>
      <SetupLines billing={billing} gatewayKey={token} />
    </div>
  </Dialog>
)
