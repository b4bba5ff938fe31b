export type SpanStatus = 'running' | 'ok' | 'err' | 'skipped'

/** One span of a trace. Its times are epoch nanoseconds, which a double cannot hold. */
export interface Span {
  id: string
  span_id: string
  parent_span_id: string | null
  node_id: string | null
  node_type: string | null
  kind: string | null
  name: string
  phase: string | null
  branch_index: number | null
  status: SpanStatus
  start_ns: bigint
  end_ns: bigint | null
  attributes: Record<string, unknown>
  error: string | null
  worker_host: string | null
  /** `inproc` of interactive runs, else which process of the durable ones. */
  executor_id: string | null
  /** Null as long as the span is known from the live stream only. */
  seq: number | null
  bytes_in: number | null
  bytes_out: number | null
}

/** The span of a node itself: neither a phase of it, nor one of its iterations. */
export const isNodeSpan = ({ node_id, phase, branch_index }: Span) =>
  node_id !== null && phase === null && branch_index === null

export interface Trace {
  status: string
  spans: Span[]
}

/** Reads the answer of `GET /runs/{id}/trace` without rounding its nanoseconds. */
export function parseTrace(json: string): Trace {
  const { status, spans } = JSON.parse(quoteNanoseconds(json)) as { status: string; spans: WireSpan[] }
  return { status, spans: spans.map(toSpan) }
}

/** Reads the data of a `span.open` or `span.close` event. */
export function parseSpan(json: string): Span {
  return toSpan(JSON.parse(quoteNanoseconds(json)) as WireSpan)
}

/** The times come as text (see `quoteNanoseconds`), and the root opens with fewer keys than the others. */
type WireSpan = Partial<Omit<Span, 'start_ns' | 'end_ns'>> &
  Pick<Span, 'id' | 'span_id' | 'name'> & { start_ns: string; end_ns?: string | null }

/** Makes text of the numbers that `JSON.parse` would round. Inside a string every quote follows a backslash, so only
 * real keys match. */
function quoteNanoseconds(json: string): string {
  return json.replace(/(?<!\\)("(?:start|end)_ns"\s*:\s*)(\d+)/g, '$1"$2"')
}

function toSpan(wire: WireSpan): Span {
  return {
    id: wire.id,
    span_id: wire.span_id,
    parent_span_id: wire.parent_span_id ?? null,
    node_id: wire.node_id ?? null,
    node_type: wire.node_type ?? null,
    kind: wire.kind ?? null,
    name: wire.name,
    phase: wire.phase ?? null,
    branch_index: wire.branch_index ?? null,
    status: wire.status ?? 'running',
    start_ns: BigInt(wire.start_ns),
    end_ns: wire.end_ns == null ? null : BigInt(wire.end_ns),
    attributes: wire.attributes ?? {},
    error: wire.error ?? null,
    worker_host: wire.worker_host ?? null,
    executor_id: wire.executor_id ?? null,
    seq: wire.seq ?? null,
    bytes_in: wire.bytes_in ?? null,
    bytes_out: wire.bytes_out ?? null,
  }
}
