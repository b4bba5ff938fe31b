import { Elysia, t } from 'elysia'
import { openApiDocument } from '#kernel/http/openapi'
import { controlEnvelope, openRouteOptions, planeDefaults } from '#kernel/http/plane'
import { ErrorBody, Health } from '#kernel/http/shapes'
import type { Logger } from '#kernel/log'

/** Client tools send whole projects as context. */
const MAX_BODY_BYTES = 64 * 1024 * 1024

/** The gateway's listener: it says that it is up, and that this release forwards nothing yet. */
export function gatewayApp({
  log,
  version,
  controlPlaneUrl,
}: {
  log: Logger
  version: string
  controlPlaneUrl: string
}) {
  const app = new Elysia()
    .use(planeDefaults({ envelope: controlEnvelope, maxBodyBytes: MAX_BODY_BYTES, log }))
    .use(openRouteOptions())
    .get('/healthz', () => ({ status: 'ok' as const }), { open: 'liveness probe', response: Health })
    .get(
      '/readyz',
      ({ status }) =>
        status(503, {
          status: 'not-ready' as const,
          reason: 'This release does not forward requests yet.',
          mode: 'personal' as const,
          configuration_version: null,
          control_plane: controlPlaneUrl,
        }),
      { open: 'readiness probe', response: { 503: NotReady } },
    )
  return app.get(
    '/openapi.json',
    () =>
      openApiDocument(app, { title: 'Tycho AI gateway', version, errorSchema: ErrorBody, secured: false }),
    { open: 'the interface, described' },
  )
}

const NotReady = t.Object({
  status: t.Literal('not-ready'),
  reason: t.String(),
  mode: t.Literal('personal'),
  configuration_version: t.Null(),
  control_plane: t.String(),
})
