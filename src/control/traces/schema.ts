import { t } from 'elysia'
import { Nullable } from '#kernel/http/shapes'
import { RunStatus } from '../runs/schema'

/** Epoch nanoseconds, exact: a JSON integer beyond what a JavaScript number holds. */
const Nanoseconds = t.Integer({ description: 'Epoch nanoseconds; exceeds 2^53.' })

const Span = t.Object({
  id: t.String({ description: '`<run>:<node or _root>[:<phase>][:#<branch>]`' }),
  run_id: t.String(),
  trace_id: t.String(),
  span_id: t.String(),
  parent_span_id: Nullable(t.String()),
  node_id: Nullable(t.String()),
  node_type: Nullable(t.String()),
  kind: Nullable(t.String()),
  name: t.String(),
  phase: Nullable(t.String()),
  branch_index: Nullable(t.Integer()),
  status: t.Union([t.Literal('running'), t.Literal('ok'), t.Literal('err'), t.Literal('skipped')]),
  start_ns: Nanoseconds,
  end_ns: Nullable(Nanoseconds),
  attributes: t.Record(t.String(), t.Unknown()),
  error: Nullable(t.String()),
  executor_id: t.String(),
  worker_host: t.String(),
  seq: t.Integer(),
  bytes_in: Nullable(t.Integer()),
  bytes_out: Nullable(t.Integer()),
})

export const Trace = t.Object({ runId: t.String(), status: RunStatus, spans: t.Array(Span) })

export const NodeIo = t.Object({
  run_id: t.String(),
  node_id: t.String(),
  capture_level: t.Union([t.Literal('off'), t.Literal('metadata'), t.Literal('full')]),
  inputs: Nullable(t.Record(t.String(), t.Unknown(), { description: 'By in-port.' })),
  outputs: Nullable(
    t.Record(t.String(), t.Unknown(), { description: 'By out-port; also `reasoning` and `tool_calls`.' }),
  ),
  bytes_in: Nullable(t.Integer()),
  bytes_out: Nullable(t.Integer()),
  truncated: t.Boolean(),
  reason: Nullable(t.String({ description: 'Why there are no payloads.' })),
})
export type NodeIo = typeof NodeIo.static
