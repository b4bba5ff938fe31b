import { Kind } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { openRouteOptions } from '#kernel/http/plane'
import { NoContent } from '#kernel/http/shapes'
import { Capabilities, Engines, ModelList, ModelView, Registration, type RegistrationInput } from './schema'
import type { ModelService } from './service'

const open = 'a locally trusted plane'
const missing = ['model_not_found'] as const

/**
 * Typed and documented as what it is, but checked by the service: a union's own message cannot name the field that is
 * wrong, and an import checks registrations too.
 */
const RegistrationBody = t.Unsafe<RegistrationInput>({ ...Registration, [Kind]: 'Any' })

export const modelRoutes = (models: ModelService) =>
  new Elysia({ normalize: false })
    .use(openRouteOptions())
    .get('/admin/models', () => models.list(), { open, response: ModelList })
    .put('/admin/models/:id', ({ params, body }) => models.put(params.id, body), {
      open,
      invalid: 'invalid_binding',
      errors: ['incomplete_weights'],
      body: RegistrationBody,
      response: ModelView,
    })
    .get('/admin/models/:id', ({ params }) => models.get(params.id), {
      open,
      errors: missing,
      response: ModelView,
    })
    .delete(
      '/admin/models/:id',
      async ({ params, status }) => {
        await models.remove(params.id)
        return status(204, undefined)
      },
      { open, errors: missing, response: { 204: NoContent } },
    )
    .get(
      '/admin/models/:id/capabilities',
      ({ params, request }) => models.capabilities(params.id, request.signal),
      {
        open,
        errors: [
          'model_not_found',
          'credential_error',
          'engine_unavailable',
          'incomplete_weights',
          'no_capacity',
        ],
        response: Capabilities,
      },
    )
    .post('/admin/models/:id/~warm', ({ params, request }) => models.warm(params.id, request.signal), {
      open,
      errors: ['model_not_found', 'engine_unavailable', 'incomplete_weights', 'no_capacity'],
      response: ModelView,
    })
    .post('/admin/models/:id/~evict', ({ params }) => models.evict(params.id), {
      open,
      errors: missing,
      response: ModelView,
    })
    .get('/admin/engines', () => models.engines(), { open, response: Engines })
