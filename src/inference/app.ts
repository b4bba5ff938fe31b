import { Elysia } from 'elysia'
import { openApiDocument } from '#kernel/http/openapi'
import { inferenceEnvelope, openRouteOptions, planeDefaults } from '#kernel/http/plane'
import { Health, InferenceErrorBody } from '#kernel/http/shapes'
import type { Logger } from '#kernel/log'

/** Chats carry images inline. */
const MAX_BODY_BYTES = 64 * 1024 * 1024

export interface InferenceServices {
  log: Logger
  version: string
}

/** The inference plane's routes. */
export function inferenceApp({ log, version }: InferenceServices) {
  const app = new Elysia()
    .use(planeDefaults({ envelope: inferenceEnvelope, maxBodyBytes: MAX_BODY_BYTES, log }))
    .use(openRouteOptions())
    .get('/healthz', () => ({ status: 'ok' as const }), { open: 'liveness probe', response: Health })
  return app.get(
    '/openapi.json',
    () =>
      openApiDocument(app, {
        title: 'Tycho inference plane',
        version,
        errorSchema: InferenceErrorBody,
        secured: false,
      }),
    { open: 'the interface, described' },
  )
}

export type InferenceApp = ReturnType<typeof inferenceApp>
