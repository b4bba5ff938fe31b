import { Elysia } from 'elysia'
import { type Authenticate, routeOptions } from '#kernel/http/plane'
import { NotReady, Ready, Stats } from './schema'
import type { HealthService } from './service'

export const healthRoutes = ({
  health,
  authenticate,
}: {
  health: HealthService
  authenticate: Authenticate
}) =>
  new Elysia()
    .use(routeOptions(authenticate))
    .get(
      '/readyz',
      async ({ status }) => {
        const { ready, notReady } = await health.readiness()
        return ready ? status(200, ready) : status(503, notReady)
      },
      {
        open: 'readiness probe',
        response: { 200: Ready, 503: NotReady },
      },
    )
    .get('/stats', ({ principal }) => health.stats(principal), { role: 'viewer', response: Stats })
