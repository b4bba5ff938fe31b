import { t } from 'elysia'
import { Nullable } from '#kernel/http/shapes'
import { Registration } from '../models/schema'

export const FORMAT_VERSION = 1

const strict = { additionalProperties: false }

const Install = t.Object({ repo: t.String(), variantId: t.String() }, strict)

/** Registrations as they are, where weights were downloaded from, and the names of the credentials; never a value. */
export const RegistryBundle = t.Object({
  formatVersion: t.Literal(FORMAT_VERSION),
  models: t.Array(t.Object({ logicalId: t.String(), binding: Registration, install: Nullable(Install) })),
  credentialNames: t.Array(t.String()),
})
export type RegistryBundle = typeof RegistryBundle.static

/** What an import takes. A binding is checked one by one, so that a bad one does not hold up the others. */
export const ImportedBundle = t.Object(
  {
    formatVersion: t.Optional(t.Integer({ minimum: 1 })),
    models: t.Array(
      t.Object(
        {
          logicalId: t.String({ minLength: 1, maxLength: 200 }),
          binding: t.Record(t.String(), t.Unknown()),
          install: t.Optional(Nullable(Install)),
        },
        strict,
      ),
      { maxItems: 10_000 },
    ),
    credentialNames: t.Optional(t.Array(t.String({ maxLength: 200 }), { maxItems: 10_000 })),
  },
  strict,
)
export type ImportedBundle = typeof ImportedBundle.static

export const ImportReport = t.Object({
  registered: t.Array(t.String()),
  skipped: t.Array(t.String()),
  downloads: t.Array(t.Object({ jobId: t.String(), logicalId: t.String(), repo: t.String() })),
  warnings: t.Array(
    t.Object({
      logicalId: t.String(),
      code: t.UnionEnum([
        'download_in_progress',
        'invalid_binding',
        'params_path_dropped',
        'weights_unavailable',
      ]),
      message: t.String(),
    }),
  ),
  credentialNames: t.Array(t.String({ description: 'To be set here, because no bundle carries a value.' })),
})
export type ImportReport = typeof ImportReport.static
