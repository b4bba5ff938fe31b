import { Elysia } from 'elysia'
import { openRouteOptions } from '#kernel/http/plane'
import { CatalogDetail, CatalogList, CatalogQuery, Install, Job, JobList } from './schema'
import type { CatalogService } from './service'

const open = 'a locally trusted plane'

export const catalogRoutes = (catalog: CatalogService) =>
  new Elysia({ normalize: false })
    .use(openRouteOptions())
    .get('/admin/catalog/models', ({ query, request }) => catalog.search(query, request.signal), {
      open,
      errors: ['catalog_error'],
      query: CatalogQuery,
      response: CatalogList,
    })
    .get(
      '/admin/catalog/models/:repo',
      ({ params, request }) => catalog.detail(params.repo, request.signal),
      {
        open,
        errors: ['repository_not_found', 'repository_gated', 'catalog_error'],
        response: CatalogDetail,
      },
    )
    .post(
      '/admin/catalog/install',
      async ({ body, request, status }) => status(202, await catalog.install(body, request.signal)),
      {
        open,
        invalid: 'invalid_install',
        errors: [
          'logical_id_exists',
          'repository_not_found',
          'repository_gated',
          'incomplete_weights',
          'catalog_error',
          'storage_full',
        ],
        body: Install,
        response: { 202: Job },
      },
    )
    .get('/admin/catalog/downloads', () => catalog.downloads(), { open, response: JobList })
    .get('/admin/catalog/downloads/:job_id', ({ params }) => catalog.download(params.job_id), {
      open,
      errors: ['download_not_found'],
      response: Job,
    })
    .post('/admin/catalog/downloads/:job_id/~cancel', ({ params }) => catalog.cancel(params.job_id), {
      open,
      errors: ['download_not_found'],
      response: Job,
    })
