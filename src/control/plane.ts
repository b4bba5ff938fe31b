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
import { type TriggerLimits, triggerParts } from './triggers/assemble'

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
  triggerLimits?: TriggerLimits
  now: () => number
}

export type ControlPlane = Awaited<ReturnType<typeof controlPlane>>

/** Builds the control plane's services and routes. */
export async function controlPlane(deps: ControlDeps) {
  const { db } = deps.database
  const background = new AbortController()
  const shared = await foundations(deps, background.signal)
  const { settings, agents, artifacts, exporter } = shared
  const health = healthService({ ...deps, db, settings })
  const who = identity({ ...deps, db, settings, signal: background.signal })
  const drafts = draftService({ ...deps, db })
  const running = await runningParts({ ...deps, ...shared }, background.signal)
  startRetention({ ...deps, db, settings }, background.signal)
  const triggers = triggerParts(
    { ...deps, db, agents, runs: deps.durable ? running.durable : running.unattended },
    background.signal,
  )
  const samples = sampleService({ db, agents, ensureTrigger: triggers.triggers.ensure })
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
      ...triggers,
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
      // What was being fired has ended with its run, or is nobody's yet.
      await triggers.stop()
      await exporter.stop()
    },
  }
}

/** Does the durable runs of a hosted install, and nothing else. */
export async function controlWorker(deps: ControlDeps) {
  const background = new AbortController()
  const shared = await foundations(deps, background.signal)
  const running = await runningParts({ ...deps, ...shared, durable: true, isWorker: true }, background.signal)
  return {
    /** Hands back what is not done. */
    async stop() {
      background.abort()
      await running.stop()
      await shared.exporter.stop()
    },
  }
}

/** What runs stand on, whoever does them. */
async function foundations(deps: ControlDeps, signal: AbortSignal) {
  const { database, env, artifactDir, now } = deps
  const { db } = database
  const settings = settingsService({ ...deps, db, boot: bootFacts(deps) })
  await settings.start(signal)
  const agents = agentService({ ...deps, db, settings })
  const outbound = outboundFetch({ topology: env.SERVICE_TOPOLOGY, allowed: env.SERVICE_OUTBOUND_ALLOW })
  const files = artifactStore(artifactDir)
  await files.removeAbandoned(now())
  const artifacts = artifactService({ ...deps, store: files, outbound })
  const exporter = otlpExporter({ ...deps, settings })
  return { settings, agents, outbound, artifacts, exporter, traceBeside: exporter.beside }
}
