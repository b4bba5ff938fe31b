import { Elysia, t } from 'elysia'
import { type Authenticate, routeOptions } from '#kernel/http/plane'
import { NoContent } from '#kernel/http/shapes'
import type { IngestService } from './ingest/service'
import type { GatewayKeyService } from './keys'
import {
  CreatedGateway,
  CreatedGatewayKey,
  CreateGateway,
  CreateGatewayKey,
  DeveloperKeys,
  Gateway,
  GatewayConfig,
  GatewayKey,
  GatewayKeyList,
  GatewayList,
  Heartbeat,
  HeartbeatAnswer,
  Ingested,
  SaveConfig,
  Ticket,
  TicketHolder,
  UpdateGateway,
  UpdateGatewayKey,
  VerifyTicket,
} from './schema'
import type { GatewayService } from './service'
import { gatewayOptions } from './service-key'

/** Bodies of these are lines, packed or not: read by the route, once its caller is known. */
export const RECORD_ROUTES = ['/gateway/records']

interface Services {
  authenticate: Authenticate
  gateways: GatewayService
  gatewayKeys: GatewayKeyService
  gatewayRecords: IngestService
}

const managed = ({ authenticate, gateways }: Services) =>
  new Elysia({ prefix: '/gateways' })
    .use(routeOptions(authenticate))
    .get('', () => gateways.list(), { role: 'admin', response: GatewayList })
    .post('', ({ body, status }) => gateways.create(body.name).then((made) => status(201, made)), {
      role: 'admin',
      body: CreateGateway,
      response: { 201: CreatedGateway },
    })
    .patch('/:id', ({ params, body }) => gateways.update(params.id, body), {
      role: 'admin',
      body: UpdateGateway,
      response: Gateway,
      errors: ['gateway_not_found'],
    })
    .delete('/:id', ({ params, status }) => gateways.remove(params.id).then(() => status(204, undefined)), {
      role: 'admin',
      response: { 204: NoContent },
      errors: ['gateway_not_found'],
    })
    .get('/:id/config', ({ params }) => gateways.config(params.id), {
      role: 'admin',
      response: GatewayConfig,
      errors: ['gateway_not_found'],
    })
    .put('/:id/config', ({ params, body }) => gateways.saveConfig(params.id, body), {
      role: 'admin',
      body: SaveConfig,
      response: GatewayConfig,
      errors: ['gateway_not_found', 'invalid_gateway_config'],
    })
    .post(
      '/:id/tickets',
      ({ params, principal, status }) =>
        gateways.ticket(params.id, principal).then((made) => status(201, made)),
      { role: 'admin', response: { 201: Ticket }, errors: ['gateway_not_found'] },
    )

const developersKeys = ({ authenticate, gatewayKeys }: Services) =>
  new Elysia({ prefix: '/gateway-keys' })
    .use(routeOptions(authenticate))
    .get('', ({ principal }) => gatewayKeys.list(principal), { role: 'viewer', response: GatewayKeyList })
    .post('', ({ body, status }) => gatewayKeys.create(body).then((made) => status(201, made)), {
      role: 'admin',
      body: CreateGatewayKey,
      response: { 201: CreatedGatewayKey },
      errors: ['user_not_found'],
    })
    .patch('/:id', ({ params, body }) => gatewayKeys.update(params.id, body), {
      role: 'admin',
      body: UpdateGatewayKey,
      response: GatewayKey,
      errors: ['gateway_key_not_found'],
    })
    .delete(
      '/:id',
      ({ params, status }) => gatewayKeys.remove(params.id).then(() => status(204, undefined)),
      {
        role: 'admin',
        response: { 204: NoContent },
        errors: ['gateway_key_not_found'],
      },
    )

const WHY = 'a gateway, by its service key'
const Unchanged = t.Void({ description: 'The version that is known; no body.' })

/** What gateways call. */
const attached = ({ gateways, gatewayKeys, gatewayRecords }: Services) =>
  new Elysia({ prefix: '/gateway' })
    .use(routeOptions(async () => null))
    .use(gatewayOptions(gateways))
    .post('/heartbeat', ({ gateway, body }) => gateways.heartbeat(gateway, body), {
      gateway: WHY,
      body: Heartbeat,
      response: HeartbeatAnswer,
      errors: ['unauthorized'],
    })
    .get(
      '/config',
      async ({ gateway, headers, set, status }) => {
        const { config_version } = gateway
        if (config_version === 0) return status(204, undefined)
        set.headers.etag = `"${config_version}"`
        if (headers['if-none-match'] === `"${config_version}"`) return status(304, undefined)
        return status(200, await gateways.config(gateway.id))
      },
      {
        gateway: WHY,
        response: { 200: GatewayConfig, 204: NoContent, 304: Unchanged },
        errors: ['unauthorized', 'gateway_not_found'],
      },
    )
    .get(
      '/keys',
      async ({ headers, set, status }) => {
        const keys = await gatewayKeys.digests()
        set.headers.etag = `"${keys.keys_version}"`
        if (headers['if-none-match'] === `"${keys.keys_version}"`) return status(304, undefined)
        return status(200, keys)
      },
      {
        gateway: WHY,
        // Beside `/gateway-keys` the name that would be made of the path is taken.
        detail: { operationId: 'get_gateway_key_digests' },
        response: { 200: DeveloperKeys, 304: Unchanged },
        errors: ['unauthorized'],
      },
    )
    .post('/records', ({ gateway, request }) => gatewayRecords.ingest(gateway, request), {
      gateway: WHY,
      response: Ingested,
      errors: ['unauthorized', 'payload_too_large', 'invalid_request'],
    })
    .post('/tickets/~verify', ({ gateway, body }) => gateways.verifyTicket(gateway, body.ticket), {
      gateway: WHY,
      body: VerifyTicket,
      response: TicketHolder,
      errors: ['unauthorized', 'invalid_ticket'],
    })

export const gatewayRoutes = (services: Services) =>
  new Elysia().use(managed(services)).use(developersKeys(services)).use(attached(services))
