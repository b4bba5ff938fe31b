import { Elysia } from 'elysia'
import { contextOf } from '#kernel/http/context'
import { type Authenticate, bearerOf, routeOptions } from '#kernel/http/plane'
import { NoContent } from '#kernel/http/shapes'
import { User } from '../users/schema'
import type { ApiKeyService } from './api-keys'
import {
  ApiKeyList,
  AuthStatus,
  ChangePassword,
  CreateApiKey,
  CreatedApiKey,
  Login,
  Me,
  Setup,
  SignedIn,
  UpdateMe,
} from './schema'
import type { AuthService } from './service'

interface Services {
  authenticate: Authenticate
  auth: AuthService
  apiKeys: ApiKeyService
}

export const authRoutes = ({ authenticate, auth, apiKeys }: Services) =>
  new Elysia({ prefix: '/auth' })
    .use(routeOptions(authenticate))
    .get('/status', ({ request }) => auth.status(bearerOf(request)), {
      open: 'the interface asks before anybody can sign in',
      response: AuthStatus,
    })
    .post('/setup', ({ body, status }) => auth.setup(body).then((signedIn) => status(201, signedIn)), {
      open: 'makes the first account; closed from then on',
      body: Setup,
      response: { 201: SignedIn },
      errors: ['setup_already_complete', 'invalid_username', 'password_too_short', 'too_many_attempts'],
    })
    .post('/login', ({ body, request }) => auth.login(body, contextOf(request).address), {
      open: 'exchanges a password for a session token',
      body: Login,
      response: SignedIn,
      errors: ['invalid_credentials', 'account_disabled', 'too_many_attempts'],
    })
    .post('/logout', ({ principal, status }) => auth.logout(principal).then(() => status(204, undefined)), {
      role: 'viewer',
      response: { 204: NoContent },
    })
    .get('/me', ({ principal }) => auth.me(principal), { role: 'viewer', response: Me })
    .patch('/me', ({ principal, body }) => auth.updateMe(principal, body), {
      role: 'viewer',
      body: UpdateMe,
      response: User,
    })
    .post(
      '/me/password',
      ({ principal, body, request }) => auth.changePassword(principal, body, contextOf(request).address),
      {
        role: 'viewer',
        body: ChangePassword,
        response: User,
        errors: ['invalid_credentials', 'password_too_short', 'too_many_attempts'],
      },
    )
    .get('/api-keys', ({ principal }) => apiKeys.list(principal), { role: 'viewer', response: ApiKeyList })
    .post(
      '/api-keys',
      ({ principal, body, status }) => apiKeys.create(principal, body).then((key) => status(201, key)),
      {
        role: 'viewer',
        invalid: 'invalid_api_key',
        body: CreateApiKey,
        response: { 201: CreatedApiKey },
        errors: ['invalid_api_key'],
      },
    )
    .delete(
      '/api-keys/:id',
      ({ principal, params, status }) =>
        apiKeys.revoke(principal, params.id).then(() => status(204, undefined)),
      { role: 'viewer', response: { 204: NoContent }, errors: ['api_key_not_found'] },
    )
