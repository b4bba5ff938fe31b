import { Elysia } from 'elysia'
import { openApiDocument } from '#kernel/http/openapi'
import { type Authenticate, controlEnvelope, planeDefaults, routeOptions } from '#kernel/http/plane'
import { ErrorBody, Health } from '#kernel/http/shapes'
import type { Logger } from '#kernel/log'
import { documentSchemas } from './agents/described'
import { agentRoutes } from './agents/routes'
import type { AgentService } from './agents/service'
import { artifactRoutes, UPLOAD_ROUTES } from './artifacts/routes'
import type { ArtifactService } from './artifacts/service'
import type { ApiKeyService } from './auth/api-keys'
import { authRoutes } from './auth/routes'
import type { AuthService } from './auth/service'
import { draftRoutes } from './drafts/routes'
import type { DraftService } from './drafts/service'
import type { ArchiveService } from './gateways/archive/service'
import type { IngestService } from './gateways/ingest/service'
import type { GatewayKeyService } from './gateways/keys'
import type { PricingService } from './gateways/reports/pricing'
import { gatewayReportRoutes } from './gateways/reports/routes'
import type { ReportService } from './gateways/reports/service'
import type { GatewaySessionService } from './gateways/reports/sessions'
import { gatewayRoutes, RECORD_ROUTES } from './gateways/routes'
import type { GatewayService } from './gateways/service'
import { healthRoutes } from './health/routes'
import type { HealthService } from './health/service'
import { graphRunRoutes } from './runs/graph-routes'
import type { GraphRunService } from './runs/graphs'
import { runRoutes } from './runs/routes'
import type { RunService } from './runs/service'
import { sampleRoutes } from './samples/routes'
import type { SampleService } from './samples/service'
import { sessionRoutes } from './sessions/routes'
import type { SessionService } from './sessions/service'
import { settingsRoutes } from './settings/routes'
import type { SettingsService } from './settings/service'
import type { OtlpProbe } from './traces/otlp/probe'
import { otlpRoutes } from './traces/otlp/routes'
import { traceRoutes } from './traces/routes'
import type { TraceService } from './traces/service'
import { userRoutes } from './users/routes'
import type { UserService } from './users/service'

/** Bodies of the control plane: a graph of a thousand nodes is far below it. */
const MAX_BODY_BYTES = 16 * 1024 * 1024

export interface ControlServices {
  authenticate: Authenticate
  auth: AuthService
  apiKeys: ApiKeyService
  users: UserService
  health: HealthService
  settings: SettingsService
  /** `SERVICE_INVOKE_TOKEN` */
  invokeToken: string | undefined
  agents: AgentService
  drafts: DraftService
  samples: SampleService
  runs: RunService
  graphRuns: GraphRunService
  sessions: SessionService
  traces: TraceService
  artifacts: ArtifactService
  testOtlp: OtlpProbe
  gateways: GatewayService
  gatewayKeys: GatewayKeyService
  gatewayRecords: IngestService
  gatewayReports: ReportService
  gatewaySessions: GatewaySessionService
  gatewayArchives: ArchiveService
  gatewayPrices: PricingService
}

/** The control plane's routes, slice by slice. */
export function controlApp(services: ControlServices, { log, version }: { log: Logger; version: string }) {
  // Elysia's own way of dropping unknown keys runs before the check and makes an object of whatever it finds: a text
  // where an object belongs would pass. TypeBox's leaves wrong shapes as they are.
  const app = new Elysia({ normalize: 'typebox' })
    .use(
      planeDefaults({
        envelope: controlEnvelope,
        maxBodyBytes: MAX_BODY_BYTES,
        uploadRoutes: [...UPLOAD_ROUTES, ...RECORD_ROUTES],
        log,
      }),
    )
    .use(routeOptions(services.authenticate))
    .get('/healthz', () => ({ status: 'ok' as const }), { open: 'liveness probe', response: Health })
    .use(authRoutes(services))
    .use(userRoutes(services))
    .use(healthRoutes(services))
    .use(settingsRoutes(services))
    .use(agentRoutes(services))
    .use(draftRoutes(services))
    .use(sampleRoutes(services))
    .use(runRoutes(services))
    .use(graphRunRoutes(services))
    .use(sessionRoutes(services))
    .use(traceRoutes(services))
    .use(artifactRoutes(services))
    .use(otlpRoutes(services))
    .use(gatewayRoutes(services))
    .use(gatewayReportRoutes(services))
  return app.get(
    '/openapi.json',
    () =>
      openApiDocument(app, {
        title: 'Tycho control plane',
        version,
        errorSchema: ErrorBody,
        schemas: documentSchemas(),
        secured: true,
      }),
    { open: 'the interface, described' },
  )
}

export type ControlApp = ReturnType<typeof controlApp>
