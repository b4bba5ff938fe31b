import { t } from 'elysia'
import { Nullable, Time } from '#kernel/http/shapes'

export const GROUPS = ['developer', 'project', 'model', 'client', 'gateway', 'day', 'status'] as const
export type Group = (typeof GROUPS)[number]

/** A date or an ISO time; reports know whole days, UTC. */
const Day = t.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}(T[0-9:.]+(Z|[+-]\\d{2}:?\\d{2})?)?$',
  maxLength: 40,
})
const Filter = t.Optional(t.String({ maxLength: 200 }))
const Range = {
  from: t.Optional(t.String({ ...Day, description: 'First day; 30 days ago by default.' })),
  to: t.Optional(t.String({ ...Day, description: 'Exclusive; after today by default.' })),
  developer: Filter,
  project: Filter,
  gateway: Filter,
  client: Filter,
  limit: t.Optional(t.Integer({ minimum: 1, maximum: 1_000, default: 200 })),
}

export const ReportQuery = t.Object({
  ...Range,
  model: Filter,
  group_by: t.Optional(
    t.String({
      maxLength: 100,
      description: `One to three of ${GROUPS.join(', ')}, comma-separated; \`day\` by default.`,
    }),
  ),
})
export type ReportQuery = typeof ReportQuery.static

const Figures = {
  requests: t.Integer(),
  sessions: t.Integer(),
  turns: t.Integer({ description: 'Calls of the model, retries not counted.' }),
  errors: t.Integer(),
  errors_by_class: t.Object({
    auth: t.Integer({ description: '401 and 403' }),
    rate_limit: t.Integer({ description: '429' }),
    client: t.Integer({ description: 'Other 4xx' }),
    overloaded: t.Integer({ description: '529' }),
    server: t.Integer({ description: 'Other 5xx' }),
    stream: t.Integer({ description: 'Broke off, or ended in an error event.' }),
  }),
  retries: t.Integer(),
  aborts: t.Integer({ description: 'The client left before the end.' }),
  input: t.Integer({ description: 'Tokens that no cache served.' }),
  cache_read: t.Integer(),
  cache_write_5m: t.Integer(),
  cache_write_1h: t.Integer(),
  output: t.Integer(),
  reasoning: t.Integer({ description: 'Of the output.' }),
  cost: t.Number({ description: 'Dollars, of what has a price.' }),
  unpriced: t.Integer({ description: 'Requests that used tokens of a model without a price.' }),
  cache_hit_share: Nullable(t.Number({ description: 'Of all input tokens, from 0 to 1.' })),
  ttft_p50_ms: Nullable(t.Integer({ description: 'To the first token of a stream.' })),
  ttft_p95_ms: Nullable(t.Integer()),
  total_p50_ms: Nullable(t.Integer()),
  total_p95_ms: Nullable(t.Integer()),
}

export const ReportRow = t.Object({
  developer: t.Optional(t.String({ description: 'Account id; empty where nobody is known.' })),
  developer_name: t.Optional(Nullable(t.String())),
  project: t.Optional(t.String()),
  model: t.Optional(t.String()),
  client: t.Optional(t.String()),
  gateway: t.Optional(t.String()),
  gateway_name: t.Optional(Nullable(t.String())),
  day: t.Optional(t.String()),
  status: t.Optional(t.Integer({ description: "The provider's; 0 where none came." })),
  ...Figures,
})
export type ReportRow = typeof ReportRow.static

export const Report = t.Object({
  from: t.String(),
  to: t.String(),
  group_by: t.Array(t.String()),
  rows: t.Array(ReportRow),
  more: t.Boolean({ description: 'There are more rows than `limit`.' }),
  totals: t.Object(Figures),
  gaps: t.Array(t.Object({ gateway: t.String(), from: Time, to: Time, dropped: t.Integer() }), {
    description: 'Holes: requests that were forwarded and could not be recorded. For admins.',
  }),
})
export type Report = typeof Report.static

export const ToolQuery = t.Object(Range)
export type ToolQuery = typeof ToolQuery.static
export const ToolReport = t.Object({
  from: t.String(),
  to: t.String(),
  tools: t.Array(
    t.Object({
      tool: t.String(),
      calls: t.Integer(),
      errors: t.Integer(),
      error_share: Nullable(t.Number({ description: 'Of the calls, from 0 to 1.' })),
      result_bytes: t.Integer(),
    }),
  ),
})

export const SessionQuery = t.Object({
  developer: Filter,
  project: Filter,
  limit: t.Optional(t.Integer({ minimum: 1, maximum: 200, default: 50 })),
  before: t.Optional(t.String({ maxLength: 200, description: 'Id of the last session of the page before.' })),
})
export type SessionQuery = typeof SessionQuery.static

export const GatewaySession = t.Object({
  id: t.String(),
  developer: t.String(),
  developer_name: Nullable(t.String()),
  gateway: t.String(),
  project: t.String(),
  client: t.String(),
  model: t.String({ description: 'Of the latest request.' }),
  started_at: Time,
  last_at: Time,
  requests: t.Integer(),
  turns: t.Integer(),
  errors: t.Integer(),
  retries: t.Integer(),
  aborts: t.Integer(),
  tools: t.Integer({ description: 'Calls of tools.' }),
  agent_requests: t.Integer({ description: 'Of sub-agents.' }),
  input: t.Integer(),
  cache_read: t.Integer(),
  cache_write: t.Integer(),
  output: t.Integer(),
  cost: t.Number(),
  unpriced: t.Integer(),
  archived: t.Boolean({ description: 'Its requests are in archives: there is no timeline any more.' }),
})
export type GatewaySession = typeof GatewaySession.static
export const GatewaySessionList = t.Object({ sessions: t.Array(GatewaySession) })

const TimelineTool = t.Object({
  id: t.String(),
  name: t.String(),
  bytes: t.Integer({ description: 'Of the arguments.' }),
  result_bytes: Nullable(t.Integer({ description: 'Null until a result came back.' })),
  is_error: Nullable(t.Boolean()),
})
export const TimelineRequest = t.Object({
  id: t.String(),
  at: Time,
  attempt: t.Integer(),
  kind: t.String(),
  stream: t.Boolean(),
  status: t.Integer(),
  ended: t.String(),
  error_type: Nullable(t.String()),
  stop_reason: Nullable(t.String()),
  model: t.String(),
  ttfb_ms: Nullable(t.Number()),
  ttft_ms: Nullable(t.Number()),
  total_ms: t.Number(),
  input: t.Integer(),
  cache_read: t.Integer(),
  cache_write_5m: t.Integer(),
  cache_write_1h: t.Integer(),
  output: t.Integer(),
  reasoning: t.Integer(),
  estimated: t.Boolean({ description: 'The end was not seen: output tokens are guessed.' }),
  cost: Nullable(t.Number({ description: 'Dollars; null where the model has no price.' })),
  has_content: t.Boolean(),
  tools: t.Array(TimelineTool),
})
export type TimelineRequest = typeof TimelineRequest.static

const Turn = t.Object({
  turn_key: Nullable(t.String()),
  started_at: Time,
  ended_at: Time,
  requests: t.Array(TimelineRequest),
})
const Agent = t.Object({
  agent_id: Nullable(t.String({ description: 'Null: the session itself.' })),
  parent_agent_id: Nullable(t.String()),
  depth: t.Integer({ description: '0 for the session itself; a sub-agent follows the one it belongs to.' }),
  turns: t.Array(Turn),
})
export type Agent = typeof Agent.static

export const SessionTimeline = t.Object({
  session: GatewaySession,
  agents: t.Array(Agent),
  next: Nullable(t.String({ description: 'Cursor of the requests that follow; send it as `after`.' })),
})
export const TimelineQuery = t.Object({
  after: t.Optional(t.String({ maxLength: 100 })),
  limit: t.Optional(t.Integer({ minimum: 1, maximum: 1_000, default: 500 })),
})
export type TimelineQuery = typeof TimelineQuery.static

/** A record as the gateway wrote it. */
export const RawRecord = t.Record(t.String(), t.Unknown(), {
  description: 'The record, as the gateway wrote it.',
})

const Archive = t.Object({
  day: t.String(),
  parts: t.Integer(),
  rows: t.Integer(),
  requests: t.Integer(),
  bytes: t.Integer({ description: 'As lines, unpacked.' }),
  stored_bytes: t.Integer(),
  codec: t.String(),
  sha256: t.Array(t.String(), { description: 'Of the lines of each part.' }),
})
export const ArchiveList = t.Object({ archives: t.Array(Archive) })
export const ArchiveFile = t.Any({
  description: 'The lines of the day, each as the gateway sent it; packed as gzip.',
  contentType: 'application/x-ndjson',
})

const Rate = t.Number({ minimum: 0, maximum: 100_000 })
const PriceRow = t.Object({
  model: t.String({
    minLength: 1,
    maxLength: 200,
    description: "A model's id, or its start and a star; the most exact row counts.",
  }),
  input: Rate,
  cache_read: Rate,
  cache_write_5m: Rate,
  cache_write_1h: Rate,
  output: Rate,
})
export const PriceTable = t.Object({
  version: t.Integer({ description: '0 until prices were saved.' }),
  created_at: Nullable(Time),
  prices: t.Array(PriceRow, { description: 'Dollars for a million tokens.' }),
})
export const SavePrices = t.Object({ prices: t.Array(PriceRow, { maxItems: 1_000 }) })
export type SavePrices = typeof SavePrices.static
export const Repriced = t.Object({ version: t.Integer(), models: t.Integer() })
