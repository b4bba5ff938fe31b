import type { Opened } from '#kernel/db/open'
import type { Env } from '#kernel/env'
import { outboundFetch } from '#kernel/http/outbound'
import type { Logger } from '#kernel/log'
import type { SecretBox } from '#kernel/secrets'
import { agentService } from './agents/service'
import { controlApp } from './app'
import { artifactService } from './artifacts/service'
import { artifactStore } from './artifacts/store'
import { identity } from './auth/identity'
import { draftService } from './drafts/service'
import { archiveService } from './gateways/archive/service'
import { ingestService } from './gateways/ingest/service'
import { gatewayKeyService } from './gateways/keys'
import { pricingService } from './gateways/reports/pricing'
import { reportService } from './gateways/reports/service'
import { gatewaySessionService } from './gateways/reports/sessions'
import { gatewayService } from './gateways/service'
import { healthService } from './health/service'
import { runningParts } from './runs/assemble'
import type { RunLimits } from './runs/live-runs'
import { sampleService } from './samples/service'
import { bootFacts } from './settings/boot-facts'
import { settingsService } from './settings/service'
import { otlpExporter } from './traces/otlp/exporter'
import { otlpProbe } from './traces/otlp/probe'
import { startRetention } from './traces/retention'

export interface ControlDeps {
  database: Opened
  env: Env
  secrets: SecretBox
  log: Logger
  version: string
  /** Base of the inference plane's data plane; ends in `/v1`. */
  inferenceUrl: string
  /** This plane's own address, as the browser reaches it. */
  baseUrl: string
  origins: string[]
  durable: boolean
  artifactDir: string
  /** Tests shorten them. */
  runLimits?: Partial<RunLimits>
  now: () => number
}

export type ControlPlane = Awaited<ReturnType<typeof controlPlane>>

/** Builds the control plane's services and routes. */
export async function controlPlane(deps: ControlDeps) {
  const { db } = deps.database
  const background = new AbortController()
  const settings = settingsService({ ...deps, db, boot: bootFacts(deps) })
  await settings.start(background.signal)
  const health = healthService({ ...deps, db, settings })
  const who = identity({ ...deps, db, settings, signal: background.signal })
  const agents = agentService({ ...deps, db, settings })
  const drafts = draftService({ ...deps, db })
  const samples = sampleService({ db, agents })
  const outbound = outboundFetch({
    topology: deps.env.SERVICE_TOPOLOGY,
    allowed: deps.env.SERVICE_OUTBOUND_ALLOW,
  })
  const artifactFiles = artifactStore(deps.artifactDir)
  await artifactFiles.removeAbandoned(deps.now())
  const artifacts = artifactService({ ...deps, store: artifactFiles, outbound })
  const exporter = otlpExporter({ ...deps, settings })
  const running = await runningParts(
    { ...deps, settings, agents, artifacts, outbound, traceBeside: exporter.beside },
    background.signal,
  )
  startRetention({ ...deps, db, settings }, background.signal)
  const gatewayKeys = gatewayKeyService({ ...deps, db })
  const gateways = gatewayService({ ...deps, db, keys: gatewayKeys })
  const gatewayRecords = ingestService({ ...deps, db })
  const gatewayArchives = archiveService({ ...deps, db, settings })
  gatewayArchives.start(background.signal)
  const app = controlApp(
    {
      ...who,
      health,
      settings,
      invokeToken: deps.env.SERVICE_INVOKE_TOKEN,
      agents,
      drafts,
      samples,
      artifacts,
      testOtlp: otlpProbe(settings),
      gateways,
      gatewayKeys,
      gatewayRecords,
      gatewayArchives,
      gatewayReports: reportService({ ...deps, db }),
      gatewaySessions: gatewaySessionService({ db }),
      gatewayPrices: pricingService({ ...deps, db }),
      ...running,
    },
    deps,
  )
  return {
    app,
    /** A gateway of this process: its own id, and the service key that it made. */
    attachLocalGateway: gateways.attachLocal,
    /** Ends background work and writes out what is still buffered. */
    async stop() {
      background.abort()
      await running.stop()
      await exporter.stop()
    },
  }
}
