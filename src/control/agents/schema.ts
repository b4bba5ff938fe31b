import { t } from 'elysia'
import { Nullable, Time } from '#kernel/http/shapes'

/** Ten years: longer is for ever, which is null. */
const MAX_RETENTION_SECONDS = 3_650 * 24 * 60 * 60

/** Validated by the graph's own rules, which tell every problem at once: see docs/agent-document.md. */
export const SentDocument = t.Unknown({ 'x-schema': 'AgentDocument' })

export const Publish = t.Object({
  ir: SentDocument,
  name: t.Optional(
    Nullable(t.String({ maxLength: 200, description: 'Without it the newest document names the agent.' })),
  ),
})
export type Publish = typeof Publish.static

export const AddVersion = t.Object({ ir: SentDocument })

const ContentHash = t.String({ description: '`sha256:` and 64 hex digits, computed by the server.' })

export const AgentSummary = t.Object({
  id: t.String(),
  name: t.String(),
  created_at: Time,
  updated_at: Time,
  latest_version: t.String({ description: 'The one published last.' }),
  latest_content_hash: ContentHash,
  version_count: t.Integer(),
})
export type AgentSummary = typeof AgentSummary.static

export const AgentList = t.Object({ agents: t.Array(AgentSummary) })
export type AgentList = typeof AgentList.static

export const Agent = t.Object({
  id: t.String(),
  name: t.String(),
  created_at: Time,
  updated_at: Time,
  versions: t.Array(
    t.Object({
      version: t.String(),
      content_hash: ContentHash,
      seq: t.Integer({ description: 'Order of publication, from 1.' }),
      created_at: Time,
    }),
    { description: 'Newest first.' },
  ),
})
export type Agent = typeof Agent.static

export const AgentVersion = t.Object({
  agent_id: t.String(),
  version: t.String(),
  content_hash: ContentHash,
  seq: t.Integer(),
  created_at: Time,
  ir: t.Record(t.String(), t.Unknown(), {
    'x-schema': 'AgentDocument',
    description: 'The agent document with all its defaults filled in and its hash stamped.',
  }),
  view: Nullable(t.Record(t.String(), t.Unknown(), { description: 'Layout of the canvas.' })),
})
export type AgentVersion = typeof AgentVersion.static

export const DiffQuery = t.Object({
  a: t.String({ maxLength: 64, description: 'The earlier version.' }),
  b: t.String({ maxLength: 64, description: 'The later version.' }),
})

const Differences = t.Array(
  t.Object({
    path: t.String({ description: 'JSON pointer; a side without a value there is left out.' }),
    a: t.Optional(t.Unknown()),
    b: t.Optional(t.Unknown()),
  }),
)

export const Diff = t.Object({
  a: t.String(),
  b: t.String(),
  document: Differences,
  nodes: t.Object({
    added: t.Array(t.Any()),
    removed: t.Array(t.Any()),
    changed: t.Array(t.Object({ id: t.String(), paths: Differences })),
  }),
  edges: t.Object({ added: t.Array(t.Any()), removed: t.Array(t.Any()) }),
  models: Differences,
  tools: Differences,
})

// Not `UnionEnum`: that has a default, its first value.
const CaptureLevel = t.Union([t.Literal('off'), t.Literal('metadata'), t.Literal('full')])

export const PutIoPolicy = t.Object({
  io_capture: CaptureLevel,
  io_retention_seconds: t.Optional(
    Nullable(
      t.Integer({ minimum: 1, maximum: MAX_RETENTION_SECONDS, description: 'Null keeps to the setting.' }),
    ),
  ),
  redact_rules: t.Optional(
    Nullable(
      t.Record(t.String(), t.Unknown(), {
        description:
          '`keys`: names whose values are replaced, at any depth; `patterns`: regular expressions.',
      }),
    ),
  ),
})
export type PutIoPolicy = typeof PutIoPolicy.static

export const IoPolicy = t.Object({
  agent_id: t.String(),
  io_capture: CaptureLevel,
  effective: CaptureLevel,
  capped: t.Boolean({ description: 'Ceiling or topology pin it below what is asked for.' }),
  ceiling: CaptureLevel,
  topology_default: CaptureLevel,
  io_retention_seconds: Nullable(t.Integer()),
  redact_rules: Nullable(
    t.Object({ keys: t.Optional(t.Array(t.String())), patterns: t.Optional(t.Array(t.String())) }),
  ),
  updated_at: Nullable(Time),
  has_explicit_policy: t.Boolean(),
})
export type IoPolicy = typeof IoPolicy.static
