import { Ellipsis, KeyRound, Power, PowerOff, ReceiptText, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { GatewayKey } from '../../src/control/gateways/schema'
import { useAccount } from '../auth/data'
import { Badge } from '../kit/badge'
import { Button, IconButton } from '../kit/button'
import { Card } from '../kit/card'
import { ConfirmDialog } from '../kit/dialog'
import { Menu, MenuItem, MenuSeparator } from '../kit/menu'
import { ErrorNotice } from '../kit/notices'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { RelativeTime } from '../kit/relative-time'
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '../kit/table'
import { useToast } from '../kit/toasts'
import { texts as common } from '../texts/common'
import { texts as gateway } from '../texts/gateway'
import { useUsers } from '../users/data'
import { useDeleteGatewayKey, useGatewayKeys, useUpdateGatewayKey } from './data'
import { KeyDialog } from './key-dialog'
import { SetupGuide } from './setup-guide'

const texts = gateway.keys

/** Keys by which gateways in team mode know developers, and how to use one. */
export const KeysTab = () => (
  <div className="flex min-w-0 flex-col gap-6">
    {useAccount().role === 'admin' ? <EverybodysKeys /> : <OwnKeys />}
    <SetupGuide />
  </div>
)

function EverybodysKeys() {
  const users = useUsers()
  const [creating, setCreating] = useState(false)
  const names = new Map(users.data?.map(({ id, display_name }) => [id, display_name]))
  return (
    <>
      <Keys
        names={names}
        description={texts.description.everybodys}
        action={
          <Button
            variant="primary"
            icon={<KeyRound aria-hidden className="size-4" />}
            onClick={() => setCreating(true)}
          >
            {texts.create}
          </Button>
        }
      />
      {creating && <KeyDialog users={users.data ?? []} onClose={() => setCreating(false)} />}
    </>
  )
}

const OwnKeys = () => <Keys names={null} description={texts.description.own} />

interface KeysProps {
  /** Of developers by id; null where all keys are the reader's own. */
  names: ReadonlyMap<string, string> | null
  description: string
  action?: ReactNode
}

function Keys({ names, description, action }: KeysProps) {
  const keys = useGatewayKeys()
  return (
    <Card flush title={texts.title} description={description} actions={action}>
      {keys.isPending && <SkeletonRows rows={3} label={texts.loading} />}
      {keys.error && (
        <ErrorNotice
          error={keys.error}
          title={texts.failed}
          onRetry={() => void keys.refetch()}
          className="m-4"
        />
      )}
      {keys.data?.length === 0 && (
        <EmptyState icon={<KeyRound aria-hidden />} title={texts.empty} className="border-t">
          {texts.hint}
        </EmptyState>
      )}
      {keys.data && keys.data.length > 0 && <KeyTable keys={keys.data} names={names} />}
    </Card>
  )
}

const KeyTable = ({ keys, names }: { keys: readonly GatewayKey[]; names: KeysProps['names'] }) => (
  <Table label={texts.title}>
    <TableHead>
      <HeadCell>{texts.name}</HeadCell>
      {names && <HeadCell>{texts.developer}</HeadCell>}
      <HeadCell>{texts.key}</HeadCell>
      <HeadCell>{texts.billedTo}</HeadCell>
      <HeadCell>{texts.lastUsed}</HeadCell>
      {names && (
        <HeadCell>
          <span className="sr-only">{texts.actions}</span>
        </HeadCell>
      )}
    </TableHead>
    <TableBody>
      {keys.map((key) => (
        <Row key={key.id}>
          <Cell className="max-w-56 min-w-32 font-medium">
            {key.name} {!key.enabled && <Badge>{gateway.disabled}</Badge>}
          </Cell>
          {names && <Cell className="whitespace-nowrap">{names.get(key.user_id) ?? key.user_id}</Cell>}
          <Cell className="whitespace-nowrap">
            <code className="text-xs text-muted">{key.token_prefix}…</code>
          </Cell>
          <Cell className="whitespace-nowrap text-muted">{texts.payers[key.billing]}</Cell>
          <Cell className="whitespace-nowrap text-muted">
            {key.last_used_at ? <RelativeTime value={key.last_used_at} /> : common.never}
          </Cell>
          {names && (
            <Cell className="w-0 py-1.5 pl-0">
              <KeyMenu gatewayKey={key} />
            </Cell>
          )}
        </Row>
      ))}
    </TableBody>
  </Table>
)

type Asked = 'enabled' | 'billing' | 'delete'

function KeyMenu({ gatewayKey }: { gatewayKey: GatewayKey }) {
  const [asked, setAsked] = useState<Asked | null>(null)
  const { name, enabled, billing } = gatewayKey
  return (
    <>
      <Menu
        trigger={
          <IconButton label={gateway.actionsFor(name)} icon={<Ellipsis aria-hidden className="size-4" />} />
        }
      >
        <MenuItem
          icon={enabled ? <PowerOff aria-hidden /> : <Power aria-hidden />}
          onSelect={() => setAsked('enabled')}
        >
          {enabled ? texts.disable.action : texts.enable.action}
        </MenuItem>
        <MenuItem icon={<ReceiptText aria-hidden />} onSelect={() => setAsked('billing')}>
          {billing === 'organization' ? texts.billDeveloper.action : texts.billOrganization.action}
        </MenuItem>
        <MenuSeparator />
        <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={() => setAsked('delete')}>
          {common.delete}
        </MenuItem>
      </Menu>
      {asked && <KeyChange gatewayKey={gatewayKey} asked={asked} onClose={() => setAsked(null)} />}
    </>
  )
}

interface KeyChangeProps {
  gatewayKey: GatewayKey
  asked: Asked
  onClose: () => void
}

function KeyChange({ gatewayKey: { id, name, enabled, billing }, asked, onClose }: KeyChangeProps) {
  const update = useUpdateGatewayKey()
  const remove = useDeleteGatewayKey()
  const toast = useToast()
  const toOrganization = billing === 'own'
  const changes = {
    enabled: {
      words: enabled ? texts.disable : texts.enable,
      run: () => update.mutateAsync({ id, enabled: !enabled }),
    },
    billing: {
      words: toOrganization ? texts.billOrganization : texts.billDeveloper,
      run: () => update.mutateAsync({ id, billing: toOrganization ? 'organization' : 'own' }),
    },
    delete: {
      words: texts.delete,
      run: () => remove.mutateAsync(id),
    },
  }
  const { words, run } = changes[asked]
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={words.title(name)}
      confirm={words.confirm}
      danger={asked === 'delete' || (asked === 'enabled' && enabled)}
      onConfirm={async () => {
        await run()
        toast(asked === 'delete' ? texts.deleted(name) : texts.changed(name))
      }}
    >
      <p>{words.effect}</p>
    </ConfirmDialog>
  )
}
