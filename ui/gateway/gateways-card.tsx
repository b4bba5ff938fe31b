import { Ellipsis, Pencil, Plus, Power, PowerOff, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Gateway } from '../../src/control/gateways/schema'
import { Badge } from '../kit/badge'
import { Button, IconButton } from '../kit/button'
import { Card } from '../kit/card'
import { CodeBlock } from '../kit/copying'
import { ConfirmDialog, Dialog } from '../kit/dialog'
import { Field } from '../kit/field'
import { FormDialog } from '../kit/form-dialog'
import { Input } from '../kit/input'
import { Menu, MenuItem, MenuSeparator } from '../kit/menu'
import { ErrorNotice, Notice } from '../kit/notices'
import { SkeletonRows } from '../kit/placeholders'
import { RelativeTime } from '../kit/relative-time'
import { useToast } from '../kit/toasts'
import { Worded } from '../kit/worded'
import { texts as common } from '../texts/common'
import { texts } from '../texts/gateway'
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
      title={texts.gateways.title}
      description={texts.gateways.description}
      actions={
        <Button icon={<Plus aria-hidden className="size-4" />} onClick={() => setDoing({ what: 'create' })}>
          {texts.gateways.add}
        </Button>
      }
    >
      {isPending && <SkeletonRows rows={2} label={texts.gateways.loading} />}
      {error && !data && (
        <ErrorNotice
          error={error}
          title={texts.gateways.failed}
          onRetry={() => void refetch()}
          className="m-4"
        />
      )}
      {data && (
        <ul className="divide-y divide-line border-t">
          {data.map((gateway) => (
            <GatewayRow key={gateway.id} gateway={gateway} onDo={setDoing} />
          ))}
          {data.length === 0 && <li className="p-4 text-sm text-muted">{texts.gateways.empty}</li>}
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
        {gateway.local && <Badge>{texts.gateways.local}</Badge>}
        {gateway.heartbeat && <Badge>{gateway.heartbeat.mode}</Badge>}
        {!gateway.enabled && <Badge tone="warn">{texts.disabled}</Badge>}
      </p>
      <p className="text-xs text-muted">
        <code>{gateway.token_prefix}…</code>
        {' · '}
        {gateway.last_heartbeat_at ? (
          <>
            <Worded
              text={texts.heardOf}
              with={{ time: <RelativeTime value={gateway.last_heartbeat_at} /> }}
            />
            {gateway.heartbeat && ` · ${texts.gateways.version(gateway.heartbeat.version)}`}
          </>
        ) : (
          texts.neverHeardOf
        )}
      </p>
    </div>
    <Menu
      trigger={
        <IconButton
          label={texts.actionsFor(gateway.name)}
          icon={<Ellipsis aria-hidden className="size-4" />}
        />
      }
    >
      <MenuItem icon={<Pencil aria-hidden />} onSelect={() => onDo({ what: 'rename', gateway })}>
        {texts.gateways.rename}
      </MenuItem>
      <MenuItem
        icon={gateway.enabled ? <PowerOff aria-hidden /> : <Power aria-hidden />}
        onSelect={() => onDo({ what: 'enable', gateway })}
      >
        {gateway.enabled ? texts.gateways.disable.action : texts.gateways.enable.action}
      </MenuItem>
      <MenuSeparator />
      <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={() => onDo({ what: 'delete', gateway })}>
        {common.delete}
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
      title={texts.gateways.addTitle}
      confirm={texts.gateways.add}
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
      title={texts.gateways.renameTitle(gateway.name)}
      confirm={common.save}
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
  const [missing, setMissing] = useState(false)
  function submit() {
    setMissing(name.trim() === '')
    if (name.trim() !== '') onSubmit()
  }
  return (
    <FormDialog
      title={title}
      size="sm"
      submit={confirm}
      pending={pending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={texts.gateways.name}
        hint={texts.gateways.nameHint}
        error={missing && name.trim() === '' ? texts.gateways.nameMissing : undefined}
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
    </FormDialog>
  )
}

const Created = ({ serviceKey, onClose }: { serviceKey: string; onClose: () => void }) => (
  <Dialog
    open
    onOpenChange={(open) => !open && onClose()}
    title={texts.gateways.created.title}
    footer={
      <Button variant="primary" onClick={onClose}>
        {texts.done}
      </Button>
    }
  >
    <div className="flex flex-col gap-4 text-sm">
      <Notice tone="warn">
        <p>{texts.gateways.created.hint}</p>
        <CodeBlock text={serviceKey} label={texts.gateways.created.copiedKey} className="mt-2" />
      </Notice>
      <p className="text-muted">{texts.gateways.created.start}</p>
      <CodeBlock
        label={texts.gateways.created.copiedLines}
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
  const words = texts.gateways[deletes ? 'delete' : enabled ? 'disable' : 'enable']
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={words.title(name)}
      confirm={words.confirm}
      danger={deletes || enabled}
      onConfirm={async () => {
        await (deletes ? remove.mutateAsync(id) : update.mutateAsync({ id, enabled: !enabled }))
        toast(words.done(name))
      }}
    >
      <p>{words.effect}</p>
    </ConfirmDialog>
  )
}
