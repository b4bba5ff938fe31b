import type { Attributes, HrTime } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import type { SpanRecord } from '../store'

/** What a span may take out of the house of its own attributes: numbers and the model's id, never what it worked on. */
const EXPORTED = [
  'gen_ai.request.model',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.total_tokens',
  'ttft_ms',
  'service.bytes_in',
  'service.bytes_out',
]
const NS_PER_S = 1_000_000_000n
/** As the protocol counts them: `SpanKind.INTERNAL`, `TraceFlags.SAMPLED`, `SpanStatusCode`. */
const INTERNAL = 0
const SAMPLED = 1
const STATUS_CODE = { running: 0, skipped: 0, ok: 1, err: 2 } as const

/** A closed span as the SDK exports it; `hidden` are the names whose values do not leave. */
export function exportedSpan(
  record: SpanRecord,
  resource: Resource,
  hidden: readonly string[],
): ReadableSpan {
  const { trace_id, span_id, parent_span_id, start_ns, end_ns, status, name } = record
  const context = (spanId: string) => ({ traceId: trace_id, spanId, traceFlags: SAMPLED })
  const end = end_ns ?? start_ns
  return {
    name,
    kind: INTERNAL,
    spanContext: () => context(span_id),
    parentSpanContext: parent_span_id === null ? undefined : context(parent_span_id),
    startTime: hrTime(start_ns),
    endTime: hrTime(end),
    duration: hrTime(end - start_ns),
    ended: true,
    // Without its message: that may quote what the node worked on.
    status: { code: STATUS_CODE[status] },
    attributes: attributesOf(record, hidden),
    links: [],
    events: [],
    resource,
    instrumentationScope: { name: 'service-control-plane' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

function attributesOf(record: SpanRecord, hidden: readonly string[]): Attributes {
  const own = EXPORTED.map((name) => [name, record.attributes[name]] as const)
  const all = [
    ...own,
    ['service.run_id', record.run_id],
    ['service.node_id', record.node_id],
    ['service.status', record.status],
    ['service.executor_id', record.executor_id],
    ['service.worker_host', record.worker_host],
  ] as const
  const scalars = all.filter(
    (entry): entry is readonly [string, string | number] =>
      typeof entry[1] === 'string' || typeof entry[1] === 'number',
  )
  return Object.fromEntries(
    scalars.map(([name, value]) => [name, hidden.includes(name) ? '[redacted]' : value]),
  )
}

const hrTime = (ns: bigint): HrTime => [Number(ns / NS_PER_S), Number(ns % NS_PER_S)]
