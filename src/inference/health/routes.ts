import { Elysia } from 'elysia'
import { openRouteOptions } from '#kernel/http/plane'
import { Diagnostics, NotReady, Ready } from './schema'
import type { HealthService } from './service'

export const healthRoutes = (health: HealthService) =>
  new Elysia({ normalize: false })
    .use(openRouteOptions())
    .get(
      '/readyz',
      async ({ status }) => {
        const readiness = await health.readiness()
        return readiness.status === 'ready' ? readiness : status(503, readiness)
      },
      { open: 'readiness probe', response: { 200: Ready, 503: NotReady } },
    )
    .get('/admin/diagnostics', () => health.diagnostics(), {
      open: 'a locally trusted plane',
      response: Diagnostics,
    })
