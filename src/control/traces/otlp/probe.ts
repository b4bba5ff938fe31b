import { isHttpUrl } from '#kernel/urls'
import type { SettingsService } from '../../settings/service'
import { tracesUrl } from './collector'
import type { OtlpTest, OtlpTestResult } from './schema'

const PROBE_MS = 5_000
const MAX_ERROR_CHARS = 500

export type OtlpProbe = ReturnType<typeof otlpProbe>

/** Asks a collector whether it takes spans from here, with a request that holds none. */
export const otlpProbe =
  (settings: Pick<SettingsService, 'get'>) =>
  async ({ endpoint, headers }: OtlpTest): Promise<OtlpTestResult> => {
    const stored = settings.get('telemetry.otlp_endpoint')
    const target = endpoint ?? stored
    if (!target)
      return { ok: false, error: 'There is no endpoint. Set one, or send it along.', latency_ms: 0 }
    if (!isHttpUrl(target))
      return { ok: false, error: 'The endpoint must be an http or https address.', latency_ms: 0 }
    // Stored headers are secrets of the stored endpoint: they go nowhere else.
    const kept = target === stored ? (settings.get('telemetry.otlp_headers') ?? {}) : {}
    const startedAt = performance.now()
    const error = await asked(target, headers ?? kept)
    const latency_ms = Math.round((performance.now() - startedAt) * 10) / 10
    return { ok: error === null, error, latency_ms }
  }

/**
 * One request and no retry, unlike the exporter's: a person waits for the answer. No bytes are the protocol's message
 * with no spans in it.
 */
async function asked(endpoint: string, headers: Record<string, string>): Promise<string | null> {
  try {
    const response = await fetch(tracesUrl(endpoint), {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-protobuf' },
      signal: AbortSignal.timeout(PROBE_MS),
      redirect: 'manual',
    })
    await response.body?.cancel()
    return response.ok ? null : `${response.status} ${response.statusText}`.trim()
  } catch (error) {
    return describe(error as Error)
  }
}

function describe(error: Error & { code?: unknown }): string {
  if (error.name === 'TimeoutError') return `No answer came within ${PROBE_MS / 1000} s.`
  const text = error.message || 'no connection'
  return (typeof error.code === 'string' ? `${text} (${error.code})` : text).slice(0, MAX_ERROR_CHARS)
}
