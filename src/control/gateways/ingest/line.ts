import { TypeCompiler } from '@sinclair/typebox/compiler'
import { t } from 'elysia'
import { Nullable } from '#kernel/http/shapes'
import { tryParse } from '#kernel/json'

const Text = t.String({ maxLength: 1_000 })
/** Sums of them still are whole numbers. */
const Count = t.Integer({ minimum: 0, maximum: 1e12 })
const Ms = Nullable(t.Number({ minimum: 0 }))
const Place = {
  v: t.Literal(1),
  id: Text,
  epoch: t.String({ minLength: 1, maxLength: 100 }),
  seq: t.Integer({ minimum: 1 }),
}
const Tool = t.Object({ id: Text, name: Text, bytes: Count })
const Result = t.Object({ id: Text, name: t.Optional(Nullable(Text)), bytes: Count, is_error: t.Boolean() })

/** What the control plane reads of a record; whatever else is in the line is kept as it is. */
const RequestLine = t.Object({
  ...Place,
  type: t.Literal('request'),
  developer_id: Nullable(Text),
  key_id: Nullable(Text),
  billing: t.Union([t.Literal('own'), t.Literal('organization')]),
  client: Text,
  client_version: Nullable(Text),
  session_id: Nullable(Text),
  agent_id: Nullable(Text),
  parent_agent_id: Nullable(Text),
  turn_key: Nullable(Text),
  attempt: t.Integer({ minimum: 1 }),
  project: Nullable(t.Object({ name: Text, remote: t.Optional(Text), source: Text })),
  request: t.Object({
    protocol: Text,
    kind: Text,
    model_requested: Nullable(Text),
    stream: t.Boolean(),
    tool_results: t.Array(Result, { maxItems: 1_000 }),
  }),
  response: t.Object({
    status: t.Integer({ minimum: 0, maximum: 999 }),
    model: Nullable(Text),
    stop_reason: Nullable(Text),
    tools_used: t.Array(Tool, { maxItems: 1_000 }),
    ended: t.Union([
      t.Literal('complete'),
      t.Literal('client_abort'),
      t.Literal('upstream_error'),
      t.Literal('stream_error'),
    ]),
    error_type: Nullable(Text),
  }),
  tokens: t.Object({
    input: Count,
    cache_read: Count,
    cache_write_5m: Count,
    cache_write_1h: Count,
    output: Count,
    reasoning: Count,
    estimated: t.Boolean(),
  }),
  time: t.Object({ at: t.Integer(), ttfb_ms: Ms, ttft_ms: Ms, total_ms: t.Number({ minimum: 0 }) }),
})
export type RequestLine = typeof RequestLine.static

const GapLine = t.Object({
  ...Place,
  type: t.Literal('gap'),
  from: t.Integer(),
  to: t.Integer(),
  dropped: t.Integer({ minimum: 1 }),
})
export type GapLine = typeof GapLine.static

export type Line = RequestLine | GapLine

const isRequest = TypeCompiler.Compile(RequestLine)
const isGap = TypeCompiler.Compile(GapLine)

/** A line that was read, or why it cannot be used; its number where that much could be read. */
export type ReadLine =
  | { ok: true; line: Line; text: string }
  | { ok: false; seq: number | null; epoch: string | null; code: 'invalid_json' | 'invalid_record' }

export function readLine(text: string): ReadLine {
  const value = tryParse(text)
  if (isRequest.Check(value) || isGap.Check(value)) return { ok: true, line: value, text }
  const { seq, epoch } = (typeof value === 'object' && value !== null ? value : {}) as {
    seq?: unknown
    epoch?: unknown
  }
  return {
    ok: false,
    seq: Number.isSafeInteger(seq) ? (seq as number) : null,
    epoch: typeof epoch === 'string' ? epoch.slice(0, 100) : null,
    code: value === undefined ? 'invalid_json' : 'invalid_record',
  }
}
