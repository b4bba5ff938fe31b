import { Kind } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { openRouteOptions } from '#kernel/http/plane'
import { ImportedBundle, ImportReport, RegistryBundle } from './schema'
import type { BundleService } from './service'

const open = 'a locally trusted plane'

/** Checked by the service, because a bundle of a newer format is told apart before its shape is looked at. */
const BundleBody = t.Unsafe<ImportedBundle>({ ...ImportedBundle, [Kind]: 'Any' })

export const bundleRoutes = (bundles: BundleService) =>
  new Elysia({ normalize: false })
    .use(openRouteOptions())
    .get('/admin/export', () => bundles.export(), { open, response: RegistryBundle })
    .post('/admin/import', ({ body }) => bundles.import(body), {
      open,
      invalid: 'invalid_bundle',
      errors: ['unsupported_bundle_version'],
      body: BundleBody,
      response: ImportReport,
    })
