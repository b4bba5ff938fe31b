import { t } from 'elysia'
import { Nullable, Time } from '#kernel/http/shapes'
import { DisplayName, Password, Role, Theme, User, Username } from '../users/schema'

export const AuthStatus = t.Object({
  setup_required: t.Boolean({ description: 'True until the first account exists.' }),
  user: t.Union([User, t.Null()], { description: 'Of a valid session token, if one was sent.' }),
  providers: t.Array(t.Object({ slug: t.String(), name: t.String() })),
})

export const Setup = t.Object({
  username: Username,
  password: Password,
  display_name: t.Optional(Nullable(DisplayName)),
})
export type Setup = typeof Setup.static

export const Login = t.Object({ username: Username, password: Password })
export type Login = typeof Login.static

/** The token is shown here and never again. */
export const SignedIn = t.Object({ token: t.String(), user: User })

export const Me = t.Object({
  user: User,
  role: t.Union(Role.anyOf, { description: 'What the presented credential may do now.' }),
  credential: t.Union([t.Literal('session'), t.Literal('api_key')]),
})

export const UpdateMe = t.Object({ display_name: t.Optional(DisplayName), theme: t.Optional(Theme) })
export type UpdateMe = typeof UpdateMe.static

export const ChangePassword = t.Object({
  current_password: t.Optional(Nullable(Password)),
  new_password: Password,
})
export type ChangePassword = typeof ChangePassword.static

export const ApiKey = t.Object({
  id: t.String(),
  user_id: t.String(),
  name: t.String(),
  role: Role,
  token_prefix: t.String({ description: 'The first 12 characters of the token.' }),
  created_at: Time,
  last_used_at: Nullable(Time),
  revoked_at: Nullable(Time),
})
export type ApiKey = typeof ApiKey.static

export const ApiKeyList = t.Object({ api_keys: t.Array(ApiKey) })

export const CreateApiKey = t.Object({
  name: t.String({ maxLength: 200 }),
  role: t.Optional(Role),
})
export type CreateApiKey = typeof CreateApiKey.static

/** The token is shown here and never again. */
export const CreatedApiKey = t.Object({ token: t.String(), api_key: ApiKey })
