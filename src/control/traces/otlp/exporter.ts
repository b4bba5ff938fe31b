import type { BatchSpanProcessor, ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from '#kernel/log'
import type { SettingsService } from '../../settings/service'
import type { TraceSink } from '../record'
import type { SpanRecord } from '../store'
import { type Collector, exporterTo, loadSdk, type Sdk } from './collector'
import { exportedSpan } from './span'

/** Spans that wait for the collector; what comes on top is dropped. */
const MAX_QUEUE = 4_096
const BATCH = 512
const BATCH_DELAY_MS = 1_000
const SEND_MS = 10_000
/** What a stop, or a change of the settings, leaves for the last spans. */
const LAST_SEND_MS = 2_000
const WARN_EVERY_MS = 60_000

interface Deps {
  settings: Pick<SettingsService, 'get'>
  log: Logger
  now: () => number
}

/**
 * Sends each span to the collector of the settings as it closes, in batches and behind the runs: a collector that
 * fails or hangs costs nothing but its own spans. The settings are asked at each span, so that changes count at once.
 */
export function otlpExporter({ settings, log, now }: Deps) {
  let current: { key: string; link: Link } | null = null
  const closing = new Set<Promise<void>>()
  let warnedAt = 0

  function warn(error: unknown) {
    if (now() - warnedAt < WARN_EVERY_MS) return
    warnedAt = now()
    log.warn({ err: error }, 'spans could not be sent to the collector')
  }

  /** The link to the collector that counts now; null when nothing is to be sent. */
  function link(): Link | null {
    const collector = configured(settings)
    const key = collector && JSON.stringify(collector)
    if (current?.key === key) return current!.link
    drop()
    current = key && collector ? { key, link: linkTo(collector, warn) } : null
    return current?.link ?? null
  }

  function drop() {
    if (!current) return
    const closed = current.link.close().finally(() => closing.delete(closed))
    closing.add(closed)
    current = null
  }

  return {
    /** `sink`, whose closed spans are sent as well. */
    beside: (sink: TraceSink): TraceSink => ({
      ...sink,
      span(record) {
        sink.span(record)
        if (record.status !== 'running') link()?.send(record, settings.get('telemetry.otlp_redact_attrs'))
      },
    }),

    /** Sends what waits, for as long as that is worth. */
    async stop() {
      drop()
      await Promise.all(closing)
    },
  }
}

function configured(settings: Pick<SettingsService, 'get'>): Collector | null {
  const endpoint = settings.get('telemetry.otlp_endpoint')
  if (!settings.get('telemetry.otlp_enabled') || !endpoint) return null
  return { endpoint, headers: settings.get('telemetry.otlp_headers') ?? {} }
}

interface Link {
  send(record: SpanRecord, hidden: readonly string[]): void
  close(): Promise<void>
}

function linkTo(collector: Collector, warn: (error: unknown) => void): Link {
  const early: Parameters<Link['send']>[] = []
  let opened: ReturnType<typeof open> | null = null
  const loading = loadSdk().then((sdk) => {
    opened = open(sdk, collector, warn)
    for (const [record, hidden] of early.splice(0)) opened.send(record, hidden)
  })
  loading.catch(warn)

  return {
    send(record, hidden) {
      if (opened) opened.send(record, hidden)
      else if (early.length < MAX_QUEUE) early.push([record, hidden])
    },

    async close() {
      const timeout = Promise.withResolvers<void>()
      const timer = setTimeout(timeout.resolve, LAST_SEND_MS)
      const closed = loading.then(() => opened?.processor.shutdown()).catch(warn)
      await Promise.race([closed, timeout.promise])
      clearTimeout(timer)
    },
  }
}

function open(sdk: Sdk, collector: Collector, warn: (error: unknown) => void) {
  const resource = sdk.resourceFromAttributes({ 'service.name': 'service-control-plane' })
  const processor: BatchSpanProcessor = new sdk.BatchSpanProcessor({
    exporter: telling(exporterTo(sdk, collector, SEND_MS), warn),
    maxQueueSize: MAX_QUEUE,
    maxExportBatchSize: BATCH,
    scheduledDelayMillis: BATCH_DELAY_MS,
    exportTimeoutMillis: SEND_MS,
  })
  return {
    processor,
    send: (record: SpanRecord, hidden: readonly string[]) =>
      processor.onEnd(exportedSpan(record, resource, hidden) as Parameters<typeof processor.onEnd>[0]),
  }
}

/** The SDK keeps failures to itself; the log is to have them. */
const telling = (exporter: SpanExporter, warn: (error: unknown) => void): SpanExporter => ({
  export: (spans: ReadableSpan[], done) =>
    exporter.export(spans, (result) => {
      if (result.error) warn(result.error)
      done(result)
    }),
  shutdown: () => exporter.shutdown(),
  forceFlush: async () => exporter.forceFlush?.(),
})
