import { Ellipsis, KeyRound, Pencil, Trash2, UserCheck, UserPlus, UserX } from 'lucide-react'
import { useState } from 'react'
import type { User } from '../../src/control/users/schema'
import { useAccount } from '../auth/data'
import { Badge } from '../kit/badge'
import { Button, IconButton } from '../kit/button'
import { Card } from '../kit/card'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../kit/menu'
import { ErrorNotice } from '../kit/notices'
import { SkeletonRows } from '../kit/placeholders'
import { RelativeTime } from '../kit/relative-time'
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '../kit/table'
import { Avatar } from '../shell/avatar'
import { texts as common } from '../texts/common'
import { texts } from '../texts/users'
import { isLastAdmin, useUsers } from './data'
import { DeleteUser, DisableUser } from './leaving'
import { PasswordDialog } from './password-dialog'
import { UserDialog } from './user-dialog'

type Doing = { what: 'create' } | { what: 'edit' | 'password' | 'disable' | 'delete'; user: User }

/** Everybody who may sign in. */
export function UsersTab() {
  const users = useUsers()
  const [doing, setDoing] = useState<Doing | null>(null)
  const all = users.data ?? []
  const close = () => setDoing(null)
  return (
    <>
      <Card
        flush
        title={texts.list.title}
        description={texts.list.description}
        actions={
          <Button
            variant="primary"
            icon={<UserPlus aria-hidden className="size-4" />}
            onClick={() => setDoing({ what: 'create' })}
          >
            {texts.list.add}
          </Button>
        }
      >
        {users.isPending && <SkeletonRows rows={3} />}
        {users.error && (
          <ErrorNotice
            error={users.error}
            title={texts.list.failed}
            onRetry={() => void users.refetch()}
            className="m-4"
          />
        )}
        {users.data && <UserTable users={all} onDo={setDoing} />}
      </Card>
      {doing?.what === 'create' && <UserDialog onClose={close} />}
      {doing?.what === 'edit' && (
        <UserDialog user={doing.user} lastAdmin={isLastAdmin(doing.user, all)} onClose={close} />
      )}
      {doing?.what === 'password' && <PasswordDialog user={doing.user} onClose={close} />}
      {doing?.what === 'disable' && <DisableUser user={doing.user} onClose={close} />}
      {doing?.what === 'delete' && <DeleteUser user={doing.user} onClose={close} />}
    </>
  )
}

const UserTable = ({ users, onDo }: { users: User[]; onDo: (doing: Doing) => void }) => (
  <Table label={texts.list.title}>
    <TableHead>
      <HeadCell>{texts.list.name}</HeadCell>
      <HeadCell className="max-md:hidden">{texts.list.email}</HeadCell>
      <HeadCell>{texts.list.role}</HeadCell>
      <HeadCell className="max-sm:hidden">{texts.list.lastSignIn}</HeadCell>
      <HeadCell>
        <span className="sr-only">{texts.list.actions}</span>
      </HeadCell>
    </TableHead>
    <TableBody>
      {users.map((user) => (
        <UserRow key={user.id} user={user} lastAdmin={isLastAdmin(user, users)} onDo={onDo} />
      ))}
    </TableBody>
  </Table>
)

function UserRow({
  user,
  lastAdmin,
  onDo,
}: {
  user: User
  lastAdmin: boolean
  onDo: (doing: Doing) => void
}) {
  const isMe = useAccount().id === user.id
  return (
    <Row>
      <Cell>
        <div className="flex items-center gap-3">
          <Avatar user={user} />
          <div className="min-w-0">
            <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <span className="font-medium">{user.display_name}</span>
              {isMe && <Badge tone="accent">{texts.list.you}</Badge>}
              {user.disabled && <Badge tone="bad">{texts.list.disabled}</Badge>}
            </p>
            <p className="text-xs text-muted">{user.username}</p>
          </div>
        </div>
      </Cell>
      <Cell className="text-muted max-md:hidden">{user.email ?? '–'}</Cell>
      <Cell>
        <Badge>{user.role}</Badge>
      </Cell>
      <Cell className="text-muted max-sm:hidden">
        {user.last_login_at ? <RelativeTime value={user.last_login_at} /> : common.never}
      </Cell>
      <Cell className="w-0 py-1.5 pl-0">
        <UserMenu user={user} lastAdmin={lastAdmin} onDo={onDo} />
      </Cell>
    </Row>
  )
}

const UserMenu = ({
  user,
  lastAdmin,
  onDo,
}: {
  user: User
  lastAdmin: boolean
  onDo: (doing: Doing) => void
}) => (
  <Menu
    trigger={
      <IconButton
        label={texts.menu.label(user.display_name)}
        icon={<Ellipsis aria-hidden className="size-4" />}
      />
    }
  >
    <MenuItem icon={<Pencil aria-hidden />} onSelect={() => onDo({ what: 'edit', user })}>
      {texts.menu.edit}
    </MenuItem>
    <MenuItem icon={<KeyRound aria-hidden />} onSelect={() => onDo({ what: 'password', user })}>
      {user.has_password ? texts.menu.resetPassword : texts.menu.setPassword}
    </MenuItem>
    <MenuSeparator />
    {lastAdmin && <MenuLabel>{texts.menu.lastAdmin}</MenuLabel>}
    <MenuItem
      icon={user.disabled ? <UserCheck aria-hidden /> : <UserX aria-hidden />}
      disabled={lastAdmin}
      onSelect={() => onDo({ what: 'disable', user })}
    >
      {user.disabled ? texts.enable.action : texts.disable.action}
    </MenuItem>
    <MenuItem
      danger
      icon={<Trash2 aria-hidden />}
      disabled={lastAdmin}
      onSelect={() => onDo({ what: 'delete', user })}
    >
      {common.delete}
    </MenuItem>
  </Menu>
)
