import { Elysia } from 'elysia'
import { AppError } from '#kernel/errors'
import { openApiDocument } from '#kernel/http/openapi'
import { bearerOf, openRouteOptions, planeDefaults } from '#kernel/http/plane'
import { Health, NoContent } from '#kernel/http/shapes'
import type { Logger } from '#kernel/log'
import type { ControlPlane } from './control-plane'
import type { OrgKeys } from './org-key'
import { gatewayEnvelope } from './refusal'
import { GatewayErrorBody, OrgKeyQuery, OrgKeyStatus, Readiness, SetOrgKey } from './schema'
import type { Provider } from './target'

const MAX_BODY_BYTES = 64 * 1024
const ADMIN_ERRORS = [
  'not_found',
  'unauthorized',
  'invalid_ticket',
  'forbidden',
  'control_plane_unreachable',
] as const
const OPEN_ADMIN = "an admin's one-time ticket"

interface Services {
  readiness: () => Readiness
  /** Null in personal mode, which has no organization. */
  admin: { orgKeys: OrgKeys; controlPlane: ControlPlane } | null
}

/** What the gateway answers itself; everything else is forwarded. */
export function gatewayApp(
  { readiness, admin }: Services,
  { log, version }: { log: Logger; version: string },
) {
  /** @throws {AppError} for everybody but an admin with a ticket of the last minute; each ticket opens once */
  async function orgKeysFor(request: Request): Promise<OrgKeys> {
    if (!admin) throw new AppError('not_found', 'A personal gateway has no organization key.')
    const ticket = bearerOf(request)
    if (!ticket) throw new AppError('unauthorized', 'Send a ticket of the control plane as the bearer.')
    const holder = await admin.controlPlane.verifyTicket(ticket).catch((error) => {
      throw new AppError('control_plane_unreachable', 'The control plane cannot be asked about the ticket.', {
        cause: error,
      })
    })
    if (!holder) throw new AppError('invalid_ticket', 'This ticket is unknown, used or over its time.')
    if (holder.role !== 'admin') throw new AppError('forbidden', 'Only an admin sets the organization key.')
    return admin.orgKeys
  }

  const app = new Elysia({ normalize: 'typebox' })
    .use(planeDefaults({ envelope: gatewayEnvelope, maxBodyBytes: MAX_BODY_BYTES, log }))
    .use(openRouteOptions())
    .get('/healthz', () => ({ status: 'ok' as const }), { open: 'liveness probe', response: Health })
    .get(
      '/readyz',
      ({ status }) => {
        const body = readiness()
        return status(body.status === 'ready' ? 200 : 503, body)
      },
      { open: 'readiness probe', response: { 200: Readiness, 503: Readiness } },
    )
    .get(
      '/admin/org-key',
      async ({ request, query }) => statusOf(await orgKeysFor(request), query.provider),
      { open: OPEN_ADMIN, query: OrgKeyQuery, response: OrgKeyStatus, errors: ADMIN_ERRORS },
    )
    .put(
      '/admin/org-key',
      async ({ request, body: { value, provider = 'anthropic' } }) => {
        const keys = await orgKeysFor(request)
        keys.set(provider, value)
        return statusOf(keys, provider)
      },
      {
        open: OPEN_ADMIN,
        body: SetOrgKey,
        response: OrgKeyStatus,
        errors: [...ADMIN_ERRORS, 'org_key_pinned'],
      },
    )
    .delete(
      '/admin/org-key',
      async ({ request, query: { provider = 'anthropic' }, status }) => {
        const keys = await orgKeysFor(request)
        keys.remove(provider)
        return status(204, undefined)
      },
      {
        open: OPEN_ADMIN,
        query: OrgKeyQuery,
        response: { 204: NoContent },
        errors: [...ADMIN_ERRORS, 'org_key_pinned'],
      },
    )
  return app.get(
    '/openapi.json',
    () =>
      openApiDocument(app, {
        title: 'Tycho AI gateway',
        version,
        errorSchema: GatewayErrorBody,
        secured: false,
      }),
    { open: 'the interface, described' },
  )
}

const statusOf = (keys: OrgKeys, provider: Provider = 'anthropic') => ({
  ...keys.status(provider),
  provider,
  providers: { anthropic: keys.status('anthropic'), openai: keys.status('openai') },
})
