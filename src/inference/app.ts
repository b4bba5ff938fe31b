import { Elysia } from 'elysia'
import { INFERENCE_STATUSES } from '#kernel/errors'
import { openApiDocument } from '#kernel/http/openapi'
import { inferenceEnvelope, openRouteOptions, planeDefaults } from '#kernel/http/plane'
import { Health, InferenceErrorBody } from '#kernel/http/shapes'
import type { Logger } from '#kernel/log'
import { bundleRoutes } from './bundles/routes'
import type { BundleService } from './bundles/service'
import { catalogRoutes } from './catalog/routes'
import type { CatalogService } from './catalog/service'
import { credentialRoutes } from './credentials/routes'
import type { CredentialService } from './credentials/service'
import { healthRoutes } from './health/routes'
import type { HealthService } from './health/service'
import { modelRoutes } from './models/routes'
import type { ModelService } from './models/service'
import { settingsRoutes } from './settings/routes'
import type { SettingsService } from './settings/service'
import { v1Routes } from './v1/routes'
import type { DataPlane } from './v1/service'

/** Chats carry images inline. */
const MAX_BODY_BYTES = 64 * 1024 * 1024

export interface InferenceServices {
  log: Logger
  version: string
  v1: DataPlane
  models: ModelService
  credentials: CredentialService
  settings: SettingsService
  bundles: BundleService
  catalog: CatalogService
  health: HealthService
}

/** The inference plane's routes, slice by slice. Unknown fields are refused, not dropped: hence no normalizing. */
export function inferenceApp({ log, version, ...services }: InferenceServices) {
  const app = new Elysia({ normalize: false })
    .use(
      planeDefaults({
        envelope: inferenceEnvelope,
        maxBodyBytes: MAX_BODY_BYTES,
        statuses: INFERENCE_STATUSES,
        log,
      }),
    )
    .use(openRouteOptions())
    .get('/healthz', () => ({ status: 'ok' as const }), { open: 'liveness probe', response: Health })
    .use(healthRoutes(services.health))
    .use(v1Routes(services.v1))
    .use(modelRoutes(services.models))
    .use(credentialRoutes(services.credentials))
    .use(settingsRoutes(services.settings))
    .use(bundleRoutes(services.bundles))
    .use(catalogRoutes(services.catalog))
  return app.get(
    '/openapi.json',
    () =>
      withOwnStatuses(
        openApiDocument(app, {
          title: 'Tycho inference plane',
          version,
          errorSchema: InferenceErrorBody,
          secured: false,
          statuses: INFERENCE_STATUSES,
        }),
      ),
    { open: 'the interface, described' },
  )
}

/** `incomplete_weights` is 422 where a model is registered, 503 where it is used (specification, part 7). */
function withOwnStatuses(document: ReturnType<typeof openApiDocument>) {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods) as [string, Operation][]) {
      if (method !== 'put' && path !== '/admin/catalog/install') moveToUse(operation.responses)
    }
  }
  return document
}

interface Operation {
  responses: Record<string, Failure>
}
interface Failure {
  description: string
  content?: Record<string, { schema?: unknown; 'x-codes'?: string[] }>
}

function moveToUse(responses: Operation['responses']) {
  const code = 'incomplete_weights'
  const codesOf = (status: number) => responses[status]?.content?.['application/json']?.['x-codes']
  const [invalid, unavailable] = [codesOf(422), codesOf(503)]
  if (!invalid?.includes(code) || !unavailable) return
  invalid.splice(invalid.indexOf(code), 1)
  unavailable.push(code)
  for (const [status, codes] of [
    [422, invalid],
    [503, unavailable],
  ] as const) {
    if (codes.length === 0) delete responses[status]
    else responses[status]!.description = codes.map((one) => `\`${one}\``).join(', ')
  }
}

export type InferenceApp = ReturnType<typeof inferenceApp>
