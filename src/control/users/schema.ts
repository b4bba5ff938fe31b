import { t } from 'elysia'
import { Nullable, Time } from '#kernel/http/shapes'

export const Role = t.Union([t.Literal('viewer'), t.Literal('editor'), t.Literal('admin')])

export const Theme = t.Union([t.Literal('system'), t.Literal('light'), t.Literal('dark')])
export type Theme = typeof Theme.static

/** An account as it leaves the server: never with its password hash. */
export const User = t.Object({
  id: t.String(),
  username: t.String(),
  display_name: t.String(),
  email: Nullable(t.String()),
  role: Role,
  disabled: t.Boolean(),
  has_password: t.Boolean({ description: 'False for accounts that sign in through a provider only.' }),
  avatar_url: Nullable(t.String()),
  theme: Theme,
  created_at: Time,
  updated_at: Time,
  last_login_at: Nullable(Time),
})
export type User = typeof User.static

export const UserList = t.Object({ users: t.Array(User) })

/** Length and alphabet of handles and the least length of passwords have codes of their own: the service checks them. */
export const Username = t.String({
  maxLength: 256,
  description: '2 to 64 of `a-z 0-9 . _ -`, the first a letter or digit; upper case is lowered.',
})
export const Password = t.String({ maxLength: 1024, description: 'At least 8 characters.' })
export const DisplayName = t.String({ maxLength: 200 })
/** Forms send an empty text for "none". */
const Email = Nullable(t.String({ maxLength: 320, pattern: '^\\s*(\\S+@\\S+)?\\s*$' }))

export const CreateUser = t.Object({
  username: Username,
  role: t.Optional(Role),
  password: t.Optional(Nullable(Password)),
  display_name: t.Optional(Nullable(DisplayName)),
  email: t.Optional(Email),
})
export type CreateUser = typeof CreateUser.static

export const UpdateUser = t.Object({
  display_name: t.Optional(DisplayName),
  email: t.Optional(Email),
  role: t.Optional(Role),
  disabled: t.Optional(t.Boolean()),
})
export type UpdateUser = typeof UpdateUser.static

export const ResetPassword = t.Object({ password: Password })
