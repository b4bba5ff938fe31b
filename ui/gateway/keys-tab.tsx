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
import { useUsers } from '../users/data'
import { useDeleteGatewayKey, useGatewayKeys, useUpdateGatewayKey } from './data'
import { KeyDialog } from './key-dialog'
import { SetupGuide } from './setup-guide'

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
        description="In team mode each request brings one: it says who asks, and who pays."
        action={
          <Button
            variant="primary"
            icon={<KeyRound aria-hidden className="size-4" />}
            onClick={() => setCreating(true)}
          >
            Create key
          </Button>
        }
      />
      {creating && <KeyDialog users={users.data ?? []} onClose={() => setCreating(false)} />}
    </>
  )
}

const OwnKeys = () => (
  <Keys names={null} description="What you use at a gateway in team mode. An admin makes and changes keys." />
)

interface KeysProps {
  /** Of developers by id; null where all keys are the reader's own. */
  names: ReadonlyMap<string, string> | null
  description: string
  action?: ReactNode
}

function Keys({ names, description, action }: KeysProps) {
  const keys = useGatewayKeys()
  return (
    <Card flush title="Gateway keys" description={description} actions={action}>
      {keys.isPending && <SkeletonRows rows={3} label="Loading the keys" />}
      {keys.error && (
        <ErrorNotice
          error={keys.error}
          title="The keys could not be loaded"
          onRetry={() => void keys.refetch()}
          className="m-4"
        />
      )}
      {keys.data?.length === 0 && (
        <EmptyState icon={<KeyRound aria-hidden />} title="No gateway keys" className="border-t">
          A personal gateway needs none: it listens on its own machine only. A gateway of a team asks each
          developer for one.
        </EmptyState>
      )}
      {keys.data && keys.data.length > 0 && <KeyTable keys={keys.data} names={names} />}
    </Card>
  )
}

const KeyTable = ({ keys, names }: { keys: readonly GatewayKey[]; names: KeysProps['names'] }) => (
  <Table label="Gateway keys">
    <TableHead>
      <HeadCell>Name</HeadCell>
      {names && <HeadCell>Developer</HeadCell>}
      <HeadCell>Key</HeadCell>
      <HeadCell>Billed to</HeadCell>
      <HeadCell>Last used</HeadCell>
      {names && (
        <HeadCell>
          <span className="sr-only">Actions</span>
        </HeadCell>
      )}
    </TableHead>
    <TableBody>
      {keys.map((key) => (
        <Row key={key.id}>
          <Cell className="max-w-56 min-w-32 font-medium">
            {key.name} {!key.enabled && <Badge>disabled</Badge>}
          </Cell>
          {names && <Cell className="whitespace-nowrap">{names.get(key.user_id) ?? key.user_id}</Cell>}
          <Cell className="whitespace-nowrap">
            <code className="text-xs text-muted">{key.token_prefix}…</code>
          </Cell>
          <Cell className="whitespace-nowrap text-muted">
            {key.billing === 'organization' ? 'organization' : 'own credential'}
          </Cell>
          <Cell className="whitespace-nowrap text-muted">
            {key.last_used_at ? <RelativeTime value={key.last_used_at} /> : 'never'}
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
          <IconButton label={`Actions for ${name}`} icon={<Ellipsis aria-hidden className="size-4" />} />
        }
      >
        <MenuItem
          icon={enabled ? <PowerOff aria-hidden /> : <Power aria-hidden />}
          onSelect={() => setAsked('enabled')}
        >
          {enabled ? 'Disable' : 'Enable'}
        </MenuItem>
        <MenuItem icon={<ReceiptText aria-hidden />} onSelect={() => setAsked('billing')}>
          {billing === 'organization' ? 'Bill to own credential' : 'Bill to organization'}
        </MenuItem>
        <MenuSeparator />
        <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={() => setAsked('delete')}>
          Delete
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
      title: enabled ? `Disable ${name}?` : `Enable ${name}?`,
      confirm: enabled ? 'Disable' : 'Enable',
      words: enabled
        ? 'Gateways refuse it within 30 seconds. It can be enabled again.'
        : 'Gateways take it again within 30 seconds.',
      run: () => update.mutateAsync({ id, enabled: !enabled }),
    },
    billing: {
      title: toOrganization ? `Bill ${name} to the organization?` : `Bill ${name} to its developer?`,
      confirm: 'Change billing',
      words: toOrganization
        ? 'Requests with this key go to the provider with the organization’s key. The developer sets the client up for that, as shown below.'
        : 'Requests with this key need a credential of the developer’s own beside it, as shown below.',
      run: () => update.mutateAsync({ id, billing: toOrganization ? 'organization' : 'own' }),
    },
    delete: {
      title: `Delete ${name}?`,
      confirm: 'Delete key',
      words: 'Gateways refuse it within 30 seconds, for good. What was done with it stays in the reports.',
      run: () => remove.mutateAsync(id),
    },
  }
  const { title, confirm, words, run } = changes[asked]
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      confirm={confirm}
      danger={asked === 'delete' || (asked === 'enabled' && enabled)}
      onConfirm={async () => {
        await run()
        toast(asked === 'delete' ? `${name} is deleted.` : `${name} is changed.`)
      }}
    >
      <p>{words}</p>
    </ConfirmDialog>
  )
}
