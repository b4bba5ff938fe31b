import { t } from 'elysia'

export const Artifact = t.Object({
  ref: t.String({ description: '`art_` and 26 characters.' }),
  contentType: t.String(),
  bytes: t.Integer(),
})
export type Artifact = typeof Artifact.static

export const PlacedArtifact = t.Composite([
  Artifact,
  t.Object({ created: t.Boolean({ description: 'False: the ref was there, and stays as it was.' }) }),
])

/** The stored bytes, under their stored type. */
export const Blob = t.Any({ description: 'The bytes.', contentType: 'application/octet-stream' })
export const PartOfBlob = t.Any({
  description: 'The part that `Range` asks for.',
  contentType: 'application/octet-stream',
})

/** Bodies that the route reads itself are no schema of Elysia's: this is what the document says of them. */
export const rawBody = {
  requestBody: {
    required: true,
    content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
  },
} as Record<string, unknown>
