import { Elysia } from 'elysia'
import { type Authenticate, routeOptions } from '#kernel/http/plane'
import type { OtlpProbe } from './probe'
import { OtlpTest, OtlpTestResult } from './schema'

export const otlpRoutes = ({ authenticate, testOtlp }: { authenticate: Authenticate; testOtlp: OtlpProbe }) =>
  new Elysia({ prefix: '/settings/otlp' })
    .use(routeOptions(authenticate))
    .post('/~test', ({ body }) => testOtlp(body), { role: 'admin', body: OtlpTest, response: OtlpTestResult })
