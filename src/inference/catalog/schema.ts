import { t } from 'elysia'
import { Nullable } from '#kernel/http/shapes'
import { MODALITIES } from '../models/schema'

const SORTS = ['trending', 'downloads', 'likes'] as const
export type Sort = (typeof SORTS)[number]

const SIZES = ['small', 'medium', 'large'] as const
export type Size = (typeof SIZES)[number]

export const CatalogQuery = t.Object({
  search: t.Optional(t.String({ maxLength: 200 })),
  sort: t.Optional(t.UnionEnum(SORTS, { default: 'trending' })),
  limit: t.Optional(t.Integer({ minimum: 1, maximum: 100, default: 30 })),
  engines: t.Optional(
    t.String({ maxLength: 100, description: 'A comma list; of them count those that are ready here.' }),
  ),
  size: t.Optional(
    t.UnionEnum(SIZES, {
      default: undefined,
      description: 'Below 3, to 15, and above 15 billion parameters.',
    }),
  ),
  modality: t.Optional(t.UnionEnum(MODALITIES, { default: undefined })),
})
export type CatalogQuery = typeof CatalogQuery.static

const EngineName = t.UnionEnum(['llamacpp', 'mlx'])

/** One download of a repository: one quantization with all its files, or the whole repository. */
export const Variant = t.Object({
  id: t.String({ description: 'Path of the weights in the repository; empty for the whole of it.' }),
  label: t.String({ description: '`Q4_K_M`, `4-bit`, …' }),
  engine: EngineName,
  modality: t.UnionEnum(MODALITIES),
  filename: t.String(),
  sizeBytes: Nullable(t.Integer({ description: 'Of everything that is downloaded, a projector too.' })),
  fit: t.UnionEnum(['fits', 'tight', 'too-large', 'unknown']),
  recommended: t.Boolean(),
  quality: t.String({ description: 'How much the quantization kept: `low` to `full`; `unknown`.' }),
  fitReason: t.String(),
  contextBytes: Nullable(
    t.Integer({ description: 'Memory that `contextTokens` tokens of context take beside the weights.' }),
  ),
  contextTokens: Nullable(t.Integer()),
})
export type Variant = typeof Variant.static

export const CatalogEntry = t.Object({
  provider: t.String(),
  ref: t.String({ description: 'The repository: `owner/name`.' }),
  title: t.String(),
  description: t.String(),
  category: t.Literal('models'),
  kind: t.Literal('model'),
  sovereignty: t.Literal('in-domain'),
  engines: t.Array(EngineName, { description: 'Those that can serve it, ready or not.' }),
  modality: t.UnionEnum(MODALITIES),
  badges: t.Object({
    downloads: t.Integer(),
    likes: t.Integer(),
    pipelineTag: Nullable(t.String()),
  }),
  params: Nullable(t.String({ description: '`7B`, `350M`' })),
  license: Nullable(t.String()),
  gated: t.Boolean({ description: 'Its terms are to be accepted at the hub first.' }),
  updatedAt: Nullable(t.String({ format: 'date-time' })),
  reasoning: t.Boolean(),
  toolCalling: t.Boolean(),
  vision: t.Boolean(),
  maxContext: Nullable(t.Integer()),
  installed: t.Boolean(),
  installedAs: Nullable(t.String({ description: 'Its logical id; the first of several.' })),
  variants: t.Array(Variant, { description: 'Empty in the list.' }),
})
export type CatalogEntry = typeof CatalogEntry.static

/** Whether the hub answered, or what is shown was seen before. */
const seenBefore = {
  offline: t.Boolean({ description: 'The hub cannot be reached: this is from the index of what was seen.' }),
  offlineReason: Nullable(t.String()),
}

export const CatalogList = t.Object({
  entries: t.Array(CatalogEntry),
  engines: t.Array(EngineName, { description: 'Those that are ready here.' }),
  ...seenBefore,
})
export type CatalogList = typeof CatalogList.static

export const CatalogDetail = t.Composite([CatalogEntry, t.Object(seenBefore)])
export type CatalogDetail = typeof CatalogDetail.static

export const Install = t.Object(
  {
    repo: t.String({ minLength: 1, maxLength: 200 }),
    // Not `UnionEnum`: that has a default, its first value.
    engine: t.Union([t.Literal('llamacpp'), t.Literal('mlx')]),
    variantId: t.String({ maxLength: 1000 }),
    logicalId: t.String({ minLength: 1, maxLength: 200 }),
  },
  { additionalProperties: false },
)
export type Install = typeof Install.static

export const JOB_STATUSES = ['downloading', 'registering', 'done', 'error', 'cancelled'] as const

export const Job = t.Object({
  id: t.String({ description: '`dl-<n>`' }),
  logicalId: t.String(),
  repo: t.String(),
  engine: EngineName,
  variantId: t.String(),
  status: t.UnionEnum(JOB_STATUSES),
  queued: t.Boolean({ description: 'It waits for others to end; its status is `downloading`.' }),
  doneBytes: t.Integer(),
  totalBytes: Nullable(t.Integer({ description: '`null` until the hub was asked.' })),
  bytesPerSecond: Nullable(t.Integer({ description: 'Of the last seconds; `null` while nothing comes.' })),
  etaSeconds: Nullable(t.Integer()),
  error: Nullable(t.String()),
})
export type Job = typeof Job.static

export const JobList = t.Object({ downloads: t.Array(Job) })
