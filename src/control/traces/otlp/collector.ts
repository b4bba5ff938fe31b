import type { SpanExporter } from '@opentelemetry/sdk-trace'

const TRACES_PATH = '/v1/traces'

export interface Collector {
  endpoint: string
  headers: Record<string, string>
}

/** The SDK is loaded with the first collector: most deployments have none, and it would slow their start. */
export const loadSdk = async () => {
  const [proto, trace, resources] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
  ])
  return { ...proto, ...trace, ...resources }
}
export type Sdk = Awaited<ReturnType<typeof loadSdk>>

/** What sends spans to a collector, OTLP over HTTP with protobuf. */
export const exporterTo = (
  { OTLPTraceExporter }: Sdk,
  { endpoint, headers }: Collector,
  timeoutMillis: number,
): SpanExporter => new OTLPTraceExporter({ url: tracesUrl(endpoint), headers, timeoutMillis })

/** The endpoint of all signals, as OTEL_EXPORTER_OTLP_ENDPOINT has it, or already the one of traces. */
export function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint)
  const path = url.pathname.replace(/\/+$/, '')
  url.pathname = path.endsWith(TRACES_PATH) ? path : path + TRACES_PATH
  return url.href
}
