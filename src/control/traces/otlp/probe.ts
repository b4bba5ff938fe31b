import { isHttpUrl } from '#kernel/urls'
import type { SettingsService } from '../../settings/service'
import { exporterTo, loadSdk } from './collector'
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
    const exporter = exporterTo(await loadSdk(), { endpoint: target, headers: headers ?? kept }, PROBE_MS)
    const startedAt = performance.now()
    const error = await new Promise<Error | null>((resolve) =>
      exporter.export([], (result) =>
        resolve(result.code === 0 ? null : (result.error ?? new Error('The collector refused.'))),
      ),
    )
    await exporter.shutdown()
    const latency_ms = Math.round((performance.now() - startedAt) * 10) / 10
    return { ok: error === null, error: error && describe(error), latency_ms }
  }

/** `401 Unauthorized` rather than the stack of the SDK. */
function describe(error: Error): string {
  const { code } = error as { code?: unknown }
  const text = error.message || 'no connection'
  const status = typeof code === 'number' && !text.includes(String(code)) ? `${code} ${text}` : text
  return status.slice(0, MAX_ERROR_CHARS)
}
