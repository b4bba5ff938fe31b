import { Elysia } from 'elysia'
import { readBytes } from '#kernel/http/body'
import { type Authenticate, routeOptions } from '#kernel/http/plane'
import { NoContent } from '#kernel/http/shapes'
import { GRAPH_ERRORS } from '../runs/errors'
import type { HookService } from './hooks'
import { CreateTrigger, Fired, HookHeaders, PatchTrigger, Trigger, TriggerList, TriggerPage } from './schema'
import type { TriggerService } from './service'

/** Of one delivery. Anybody who knows the address may send one, so it is read whole before its signature is known. */
const MAX_DELIVERY_BYTES = 1024 * 1024

/** Signed as they are, to the byte: read by the route. */
export const HOOK_ROUTE = '/hooks/:id'

interface Services {
  authenticate: Authenticate
  triggers: TriggerService
  hooks: HookService
}

export const triggerRoutes = ({ authenticate, triggers, hooks }: Services) =>
  new Elysia()
    .use(routeOptions(authenticate))
    .get('/triggers', ({ query }) => triggers.list(query), {
      role: 'editor',
      query: TriggerPage,
      response: TriggerList,
    })
    .post('/triggers', ({ body, status }) => triggers.create(body).then((made) => status(201, made)), {
      role: 'editor',
      invalid: 'invalid_trigger',
      body: CreateTrigger,
      response: { 201: Trigger },
      errors: ['agent_not_found', 'agent_version_not_found', 'node_type_unavailable'],
    })
    .get('/triggers/:id', ({ params }) => triggers.get(params.id), {
      role: 'editor',
      response: Trigger,
      errors: ['trigger_not_found'],
    })
    .patch('/triggers/:id', ({ params, body }) => triggers.patch(params.id, body), {
      role: 'editor',
      invalid: 'invalid_trigger',
      body: PatchTrigger,
      response: Trigger,
      errors: ['trigger_not_found'],
    })
    .delete(
      '/triggers/:id',
      ({ params, status }) => triggers.remove(params.id).then(() => status(204, undefined)),
      { role: 'editor', response: { 204: NoContent }, errors: ['trigger_not_found'] },
    )
    .post(
      HOOK_ROUTE,
      async ({ params, headers, request, status }) =>
        status(
          202,
          await hooks.deliver(params.id, {
            signature: headers['x-service-signature'] ?? null,
            body: () => readBytes(request, MAX_DELIVERY_BYTES),
          }),
        ),
      {
        open: 'signed by the secret of the webhook',
        headers: HookHeaders,
        response: { 202: Fired },
        errors: [
          'trigger_not_found',
          'trigger_disabled',
          'invalid_signature',
          'invalid_payload',
          'payload_too_large',
          'agent_not_found',
          'agent_version_not_found',
          ...GRAPH_ERRORS,
        ],
      },
    )
