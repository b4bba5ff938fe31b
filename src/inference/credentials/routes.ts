import { Elysia } from 'elysia'
import { openRouteOptions } from '#kernel/http/plane'
import { NoContent } from '#kernel/http/shapes'
import { Credential, CredentialList, CredentialValue } from './schema'
import type { CredentialService } from './service'

const open = 'a locally trusted plane'

export const credentialRoutes = (credentials: CredentialService) =>
  new Elysia({ normalize: false })
    .use(openRouteOptions())
    .get('/admin/credentials', () => credentials.list(), { open, response: CredentialList })
    .put('/admin/credentials/:name', ({ params, body }) => credentials.put(params.name, body.value), {
      open,
      invalid: 'invalid_credential',
      body: CredentialValue,
      response: Credential,
    })
    .delete(
      '/admin/credentials/:name',
      async ({ params, status }) => {
        await credentials.remove(params.name)
        return status(204, undefined)
      },
      { open, errors: ['credential_not_found'], response: { 204: NoContent } },
    )
