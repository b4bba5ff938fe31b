import { Ellipsis, Pencil, Plus, Power, PowerOff, Trash2 } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import type { Gateway } from '../../src/control/gateways/schema'
import { Badge } from '../kit/badge'
import { Button, IconButton } from '../kit/button'
import { Card } from '../kit/card'
import { CodeBlock } from '../kit/copying'
import { ConfirmDialog, Dialog } from '../kit/dialog'
import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { Menu, MenuItem, MenuSeparator } from '../kit/menu'
import { ErrorNotice, Notice } from '../kit/notices'
import { SkeletonRows } from '../kit/placeholders'
import { RelativeTime } from '../kit/relative-time'
import { useToast } from '../kit/toasts'
import { useCreateGateway, useDeleteGateway, useGateways, useUpdateGateway } from './data'

type Doing = { what: 'create' } | { what: 'rename' | 'enable' | 'delete'; gateway: Gateway }

/** The gateways that may attach here. */
export function GatewaysCard() {
  const { data, error, isPending, refetch } = useGateways()
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  return (
    <Card
      flush
      title="Gateways"
      description="The one of this process attaches by itself; each other one with a service key."
      actions={
        <Button icon={<Plus aria-hidden className="size-4" />} onClick={() => setDoing({ what: 'create' })}>
          Add gateway
        </Button>
      }
    >
      {isPending && <SkeletonRows rows={2} label="Loading the gateways" />}
      {error && !data && (
        <ErrorNotice
          error={error}
          title="The gateways could not be loaded"
          onRetry={() => void refetch()}
          className="m-4"
        />
      )}
      {data && (
        <ul className="divide-y divide-line border-t">
          {data.map((gateway) => (
            <GatewayRow key={gateway.id} gateway={gateway} onDo={setDoing} />
          ))}
          {data.length === 0 && (
            <li className="p-4 text-sm text-muted">None yet. Add one to get the key that it starts with.</li>
          )}
        </ul>
      )}
      {doing?.what === 'create' && <CreateGateway onClose={close} />}
      {doing?.what === 'rename' && <RenameGateway gateway={doing.gateway} onClose={close} />}
      {(doing?.what === 'enable' || doing?.what === 'delete') && (
        <GatewayChange gateway={doing.gateway} asked={doing.what} onClose={close} />
      )}
    </Card>
  )
}

const GatewayRow = ({ gateway, onDo }: { gateway: Gateway; onDo: (doing: Doing) => void }) => (
  <li className="flex items-center gap-3 px-4 py-2.5 text-sm">
    <div className="min-w-0 flex-1">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium">{gateway.name}</span>
        {gateway.local && <Badge>this process</Badge>}
        {gateway.heartbeat && <Badge>{gateway.heartbeat.mode}</Badge>}
        {!gateway.enabled && <Badge tone="warn">disabled</Badge>}
      </p>
      <p className="text-xs text-muted">
        <code>{gateway.token_prefix}…</code>
        {' · '}
        {gateway.last_heartbeat_at ? (
          <>
            heard of <RelativeTime value={gateway.last_heartbeat_at} />
            {gateway.heartbeat && ` · version ${gateway.heartbeat.version}`}
          </>
        ) : (
          'never heard of'
        )}
      </p>
    </div>
    <Menu
      trigger={
        <IconButton
          label={`Actions for ${gateway.name}`}
          icon={<Ellipsis aria-hidden className="size-4" />}
        />
      }
    >
      <MenuItem icon={<Pencil aria-hidden />} onSelect={() => onDo({ what: 'rename', gateway })}>
        Rename
      </MenuItem>
      <MenuItem
        icon={gateway.enabled ? <PowerOff aria-hidden /> : <Power aria-hidden />}
        onSelect={() => onDo({ what: 'enable', gateway })}
      >
        {gateway.enabled ? 'Disable' : 'Enable'}
      </MenuItem>
      <MenuSeparator />
      <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={() => onDo({ what: 'delete', gateway })}>
        Delete
      </MenuItem>
    </Menu>
  </li>
)

function CreateGateway({ onClose }: { onClose: () => void }) {
  const create = useCreateGateway()
  const [name, setName] = useState('')
  if (create.data) return <Created serviceKey={create.data.service_key} onClose={onClose} />
  return (
    <NameDialog
      title="Add a gateway"
      confirm="Add gateway"
      name={name}
      onName={setName}
      pending={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate(name.trim())}
      onClose={onClose}
    />
  )
}

function RenameGateway({ gateway, onClose }: { gateway: Gateway; onClose: () => void }) {
  const update = useUpdateGateway()
  const [name, setName] = useState(gateway.name)
  return (
    <NameDialog
      title={`Rename ${gateway.name}`}
      confirm="Save"
      name={name}
      onName={setName}
      pending={update.isPending}
      error={update.error}
      onSubmit={() => update.mutate({ id: gateway.id, name: name.trim() }, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}

interface NameDialogProps {
  title: string
  confirm: string
  name: string
  onName: (name: string) => void
  pending: boolean
  error: unknown
  onSubmit: () => void
  onClose: () => void
}

function NameDialog({ title, confirm, name, onName, pending, error, onSubmit, onClose }: NameDialogProps) {
  const form = useId()
  const [missing, setMissing] = useState(false)
  function submit(event: FormEvent) {
    event.preventDefault()
    setMissing(name.trim() === '')
    if (name.trim() !== '') onSubmit()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      size="sm"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" pending={pending}>
            {confirm}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label="Name"
          hint="Where it runs, or whose it is."
          error={missing && name.trim() === '' ? 'Give it a name.' : undefined}
        >
          <Input
            name="name"
            autoComplete="off"
            maxLength={200}
            value={name}
            onChange={(event) => onName(event.target.value)}
          />
        </Field>
        {error !== null && error !== undefined && <ErrorNotice error={error} />}
      </form>
    </Dialog>
  )
}

const Created = ({ serviceKey, onClose }: { serviceKey: string; onClose: () => void }) => (
  <Dialog
    open
    onOpenChange={(open) => !open && onClose()}
    title="The gateway may attach"
    footer={
      <Button variant="primary" onClick={onClose}>
        Done
      </Button>
    }
  >
    <div className="flex flex-col gap-4 text-sm">
      <Notice tone="warn">
        <p>Copy its service key now: it is shown this once, and only its digest is kept.</p>
        <CodeBlock text={serviceKey} label="service key" className="mt-2" />
      </Notice>
      <p className="text-muted">
        Start it with the key and this control plane’s address, as its machine sees it:
      </p>
      <CodeBlock
        label="lines to start it"
        text={[
          `export SERVICE_GATEWAY_SERVICE_KEY="${serviceKey}"`,
          'export SERVICE_CONTROL_PLANE_URL="http://control-plane:8080"',
          'export SERVICE_GATEWAY_AUTH_MODE=team',
          'tycho serve --planes gateway',
        ].join('\n')}
      />
    </div>
  </Dialog>
)

interface GatewayChangeProps {
  gateway: Gateway
  asked: 'enable' | 'delete'
  onClose: () => void
}

function GatewayChange({ gateway: { id, name, enabled }, asked, onClose }: GatewayChangeProps) {
  const update = useUpdateGateway()
  const remove = useDeleteGateway()
  const toast = useToast()
  const deletes = asked === 'delete'
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={deletes ? `Delete ${name}?` : enabled ? `Disable ${name}?` : `Enable ${name}?`}
      confirm={deletes ? 'Delete gateway' : enabled ? 'Disable' : 'Enable'}
      danger={deletes || enabled}
      onConfirm={async () => {
        await (deletes ? remove.mutateAsync(id) : update.mutateAsync({ id, enabled: !enabled }))
        toast(deletes ? `${name} is deleted.` : enabled ? `${name} is disabled.` : `${name} is enabled.`)
      }}
    >
      <p>
        {deletes
          ? 'Its service key opens nothing any more. What it recorded stays in sessions and reports.'
          : enabled
            ? 'Its service key is refused until it is enabled again. It goes on serving developers, and queues what it records.'
            : 'Its service key is taken again, and what it queued comes in.'}
      </p>
    </ConfirmDialog>
  )
}
