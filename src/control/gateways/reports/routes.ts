import { Elysia } from 'elysia'
import { type Authenticate, routeOptions } from '#kernel/http/plane'
import type { ArchiveService } from '../archive/service'
import type { PricingService } from './pricing'
import {
  ArchiveFile,
  ArchiveList,
  GatewaySessionList,
  PriceTable,
  RawRecord,
  Report,
  ReportQuery,
  Repriced,
  SavePrices,
  SessionQuery,
  SessionTimeline,
  TimelineQuery,
  ToolQuery,
  ToolReport,
} from './schema'
import type { ReportService } from './service'
import type { GatewaySessionService } from './sessions'

interface Services {
  authenticate: Authenticate
  gatewayReports: ReportService
  gatewaySessions: GatewaySessionService
  gatewayArchives: ArchiveService
  gatewayPrices: PricingService
}

const reports = ({ authenticate, gatewayReports, gatewaySessions, gatewayArchives }: Services) =>
  new Elysia({ prefix: '/gateway' })
    .use(routeOptions(authenticate))
    .get('/reports', ({ principal, query }) => gatewayReports.report(principal, query), {
      role: 'viewer',
      query: ReportQuery,
      response: Report,
      errors: ['invalid_report'],
    })
    .get('/tools', ({ principal, query }) => gatewayReports.tools(principal, query), {
      role: 'viewer',
      query: ToolQuery,
      response: ToolReport,
      errors: ['invalid_report'],
    })
    .get('/sessions', ({ principal, query }) => gatewaySessions.list(principal, query), {
      role: 'viewer',
      query: SessionQuery,
      response: GatewaySessionList,
    })
    .get(
      '/sessions/:id',
      ({ principal, params, query }) => gatewaySessions.timeline(principal, params.id, query),
      {
        role: 'viewer',
        query: TimelineQuery,
        response: SessionTimeline,
        errors: ['gateway_session_not_found'],
      },
    )
    .get(
      '/sessions/:id/requests/:request_id',
      ({ principal, params }) => gatewaySessions.request(principal, params.id, params.request_id),
      { role: 'viewer', response: RawRecord, errors: ['gateway_session_not_found'] },
    )
    .get('/archives', () => gatewayArchives.list(), { role: 'admin', response: ArchiveList })
    .get('/archives/:day', ({ params }) => gatewayArchives.download(params.day), {
      role: 'admin',
      response: { 200: ArchiveFile },
      errors: ['archive_not_found'],
    })

const prices = ({ authenticate, gatewayPrices }: Services) =>
  new Elysia({ prefix: '/gateway-prices' })
    .use(routeOptions(authenticate))
    .get('', () => gatewayPrices.current(), { role: 'viewer', response: PriceTable })
    .put('', ({ body }) => gatewayPrices.save(body), {
      role: 'admin',
      body: SavePrices,
      response: PriceTable,
      errors: ['invalid_request'],
    })
    .post('/~reprice', () => gatewayPrices.reprice(), { role: 'admin', response: Repriced })

export const gatewayReportRoutes = (services: Services) =>
  new Elysia().use(reports(services)).use(prices(services))
