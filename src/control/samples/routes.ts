import { Elysia } from 'elysia'
import { type Authenticate, routeOptions } from '#kernel/http/plane'
import { Catalog, Install, InstallReport } from './schema'
import type { SampleService } from './service'

interface Services {
  authenticate: Authenticate
  samples: SampleService
}

export const sampleRoutes = ({ authenticate, samples }: Services) =>
  new Elysia({ prefix: '/samples' })
    .use(routeOptions(authenticate))
    .get('', () => samples.catalog(), { role: 'viewer', response: Catalog })
    .post('/install', ({ body }) => samples.install(body), {
      role: 'editor',
      body: Install,
      invalid: 'invalid_install',
      response: InstallReport,
      errors: ['invalid_install', 'sample_not_found', 'sample_model_invalid', 'sample_models_required'],
    })
