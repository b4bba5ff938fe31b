import protobuf from 'protobufjs'

/** The messages of opentelemetry-proto that a trace export carries, field for field. */
const PROTOCOL = `
syntax = "proto3";
message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
message ScopeSpans { InstrumentationScope scope = 1; repeated Span spans = 2; string schema_url = 3; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
message InstrumentationScope { string name = 1; string version = 2; repeated KeyValue attributes = 3; uint32 dropped_attributes_count = 4; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; fixed32 flags = 16;
  string name = 5;
  enum SpanKind { SPAN_KIND_UNSPECIFIED = 0; SPAN_KIND_INTERNAL = 1; SPAN_KIND_SERVER = 2; SPAN_KIND_CLIENT = 3; SPAN_KIND_PRODUCER = 4; SPAN_KIND_CONSUMER = 5; }
  SpanKind kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9; uint32 dropped_attributes_count = 10;
  message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; uint32 dropped_attributes_count = 4; }
  repeated Event events = 11; uint32 dropped_events_count = 12;
  message Link { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; repeated KeyValue attributes = 4; uint32 dropped_attributes_count = 5; fixed32 flags = 6; }
  repeated Link links = 13; uint32 dropped_links_count = 14;
  Status status = 15;
}
message Status {
  reserved 1;
  string message = 2;
  enum StatusCode { STATUS_CODE_UNSET = 0; STATUS_CODE_OK = 1; STATUS_CODE_ERROR = 2; }
  StatusCode code = 3;
}
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue {
  oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7; }
}
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }
`
const Request = protobuf.parse(PROTOCOL, { keepCase: true }).root.lookupType('ExportTraceServiceRequest')

interface KeyValue {
  key: string
  value: Record<string, string | number>
}

/** What PROTOCOL decodes to. */
interface ExportRequest {
  resource_spans: { resource: { attributes: KeyValue[] }; scope_spans: { spans: WireSpan[] }[] }[]
}

interface WireSpan {
  trace_id: Uint8Array
  span_id: Uint8Array
  parent_span_id?: Uint8Array
  name: string
  kind: string
  start_time_unix_nano: string
  end_time_unix_nano: string
  attributes: KeyValue[]
  events: unknown[]
  status: { code: string; message?: string }
}

interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId: string
  name: string
  kind: string
  start: bigint
  end: bigint
  status: { code: string; message?: string }
  attributes: Record<string, string | number>
  events: number
  resource: Record<string, string | number>
}

export interface OtlpReceiver {
  url: string
  spans: ReceivedSpan[]
  /** Of each request, in order. */
  requests: { path: string; headers: Headers; bytes: Uint8Array }[]
  /** How it answers from now on. */
  behave: 'well' | 'refuse' | 'hang'
  /** Resolves once `holds` is true of what has come. */
  until(holds: () => boolean): Promise<void>
  stop(): Promise<void>
}

/** A collector: takes OTLP over HTTP and reads it with the protocol's own types. */
export function otlpReceiver(): OtlpReceiver {
  let waiting: (() => void)[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const bytes = new Uint8Array(await request.arrayBuffer())
      receiver.requests.push({ path: new URL(request.url).pathname, headers: request.headers, bytes })
      if (receiver.behave === 'well') receiver.spans.push(...decode(bytes))
      for (const wake of waiting.splice(0)) wake()
      if (receiver.behave === 'hang') return new Promise<Response>(() => {})
      if (receiver.behave === 'refuse') return new Response('go away', { status: 401 })
      return new Response(new Uint8Array(), { headers: { 'content-type': 'application/x-protobuf' } })
    },
  })
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${server.port}`,
    spans: [],
    requests: [],
    behave: 'well',
    async until(holds) {
      while (!holds()) {
        const { promise, resolve } = Promise.withResolvers<void>()
        waiting.push(resolve)
        await promise
      }
    },
    async stop() {
      waiting = []
      await server.stop(true)
    },
  }
  return receiver
}

function decode(bytes: Uint8Array): ReceivedSpan[] {
  const request = Request.toObject(Request.decode(bytes), {
    longs: String,
    enums: String,
    bytes: Buffer,
    arrays: true,
  }) as ExportRequest
  return request.resource_spans.flatMap(({ resource, scope_spans }) =>
    scope_spans.flatMap(({ spans }) =>
      spans.map((span) => ({
        traceId: hex(span.trace_id),
        spanId: hex(span.span_id),
        parentSpanId: hex(span.parent_span_id),
        name: span.name,
        kind: span.kind,
        start: BigInt(span.start_time_unix_nano),
        end: BigInt(span.end_time_unix_nano),
        status: span.status,
        attributes: values(span.attributes),
        events: span.events.length,
        resource: values(resource.attributes),
      })),
    ),
  )
}

const hex = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('hex')

const values = (list: KeyValue[]): Record<string, string | number> =>
  Object.fromEntries(
    list.map(({ key, value }) => [
      key,
      'int_value' in value ? Number(value.int_value) : Object.values(value)[0]!,
    ]),
  )
