import { Elysia } from 'elysia'
import { openApiDocument } from '#kernel/http/openapi'
import { type Authenticate, controlEnvelope, planeDefaults, routeOptions } from '#kernel/http/plane'
import { ErrorBody, Health } from '#kernel/http/shapes'
import type { Logger } from '#kernel/log'

/** Bodies of the control plane: a graph of a thousand nodes is far below it. */
const MAX_BODY_BYTES = 16 * 1024 * 1024

export interface ControlServices {
  authenticate: Authenticate
}

/** The control plane's routes, slice by slice. */
export function controlApp(services: ControlServices, { log, version }: { log: Logger; version: string }) {
  const app = new Elysia()
    .use(planeDefaults({ envelope: controlEnvelope, maxBodyBytes: MAX_BODY_BYTES, log }))
    .use(routeOptions(services.authenticate))
    .get('/healthz', () => ({ status: 'ok' as const }), { open: 'liveness probe', response: Health })
  return app.get(
    '/openapi.json',
    () =>
      openApiDocument(app, { title: 'Tycho control plane', version, errorSchema: ErrorBody, secured: true }),
    { open: 'the interface, described' },
  )
}

export type ControlApp = ReturnType<typeof controlApp>
