import { homedir, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Override } from '#engines/engine'
import { guardCommand } from '#engines/guard'
import type { Env } from '#kernel/env'
import type { Logger } from '#kernel/log'
import { inferenceApp } from './app'
import { bundleService } from './bundles/service'
import { PATIENCE, type Patience } from './catalog/fetch-file'
import { hubToken } from './catalog/hub-token'
import { catalogIndex } from './catalog/index-store'
import { downloadJobs } from './catalog/jobs'
import { registerDownloaded } from './catalog/register'
import { catalogService } from './catalog/service'
import { sourceOf } from './catalog/source-of'
import { installStore, jobStore } from './catalog/store'
import { credentialService } from './credentials/service'
import { credentialStore } from './credentials/store'
import { healthService } from './health/service'
import { localEngines } from './local-engines'
import { capabilityProbe } from './models/capabilities'
import { loadKeptWarm } from './models/keep-warm'
import { registeredHere } from './models/registered'
import { modelService } from './models/service'
import { registryStore } from './models/store'
import { settingsService } from './settings/service'
import { settingsStore } from './settings/store'
import { engineProvider } from './v1/engine-provider'
import { KEEPALIVE_MS } from './v1/keepalive'
import { LOAD_PROGRESS_MS } from './v1/load-progress'
import { remoteProvider } from './v1/provider'
import { renderQueue } from './v1/renders'
import { serveModels } from './v1/serve'
import { dataPlane } from './v1/service'

/** The credential of the model hub. */
const HUB_TOKEN = 'HF_TOKEN'
const PUBLIC_HUB = 'https://huggingface.co'

export interface InferenceDeps {
  env: Pick<Env, 'SERVICE_MAX_RESIDENT' | 'HF_HOME'> & Partial<Pick<Env, Override | 'SERVICE_CATALOG_URL'>>
  log: Logger
  version: string
  stateDir: string
  modelDir: string
  /** Programs of engines may be put here. */
  enginesDir: string
  /** The process environment, for what engines get of it. */
  environment: Readonly<Record<string, string | undefined>>
  /** Our own program as the guard of an engine. */
  guard?: readonly string[]
  /** Our own program as the host of the engines that are part of it; none of them when unset. */
  engineHost?: readonly string[]
  /** What this machine is, where it is not asked itself: which engines run depends on it. */
  platform?: NodeJS.Platform
  arch?: string
  /** Of an engine that computes here; as many as the machine has cores, less one, when unset. */
  threads?: number
  /** Looks a name up in the process environment, for `secret://NAME`. */
  environmentSecret: (name: string) => string | undefined
  now: () => number
  /** Silence after which a render's connection is kept with white space. */
  keepaliveMs?: number
  /** How long a load is waited for in silence, and how often it is told of after that. */
  progressMs?: number
  /** How often idle engines are looked for. */
  reapMs?: number
  /** How long a provider may take to begin its answer. */
  answerWithinMs?: number
  /** Memory of this machine, in bytes. */
  memoryBytes?: number
  /** With a source of models that stalls or breaks. */
  patience?: Patience
}

/** In a container what it may take, which is less than the machine has. */
const memoryHere = (): number => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)

/** Builds the inference plane's services and routes. */
export async function inferencePlane(deps: InferenceDeps) {
  const { env, log, version, stateDir, modelDir, environmentSecret, keepaliveMs = KEEPALIVE_MS } = deps
  const { memoryBytes = memoryHere() } = deps
  const state = { dir: stateDir, log, now: deps.now }
  const registry = await registryStore(state)
  const keys = await credentialStore(state)
  const stored = await settingsStore(state)

  const credentials = credentialService({ store: keys, environmentSecret })
  const settings = settingsService({
    store: stored,
    pinned: env.SERVICE_MAX_RESIDENT,
    apply: (maxResident) => resident.setCeiling(maxResident),
  })
  const hfHome = env.HF_HOME ?? join(homedir(), '.cache', 'huggingface')
  const { table, resident, processes, tmpDir } = await localEngines({
    overrides: env,
    environment: deps.environment,
    stateDir,
    enginesDir: deps.enginesDir,
    hfHome,
    hubToken: () => keys.find(HUB_TOKEN) ?? environmentSecret(HUB_TOKEN),
    registration: (id) => registeredHere(registry, id),
    ceiling: settings.maxResident(),
    memoryBytes,
    guard: deps.guard ?? guardCommand(),
    engineHost: deps.engineHost,
    threads: deps.threads,
    platform: deps.platform,
    arch: deps.arch,
    now: deps.now,
    log,
    reapMs: deps.reapMs,
  })
  const installs = await installStore(state)
  const downloads = await jobStore(state)
  const source = sourceOf({
    url: env.SERVICE_CATALOG_URL ?? PUBLIC_HUB,
    token: hubToken({ stored: () => keys.find(HUB_TOKEN), environment: deps.environment, hfHome }),
    version,
  })
  const index = catalogIndex(state)
  const jobs = await downloadJobs({
    store: downloads,
    source,
    modelDir,
    patience: deps.patience ?? PATIENCE,
    register: registerDownloaded({ registry, installs }),
    now: deps.now,
    log,
  })
  const catalog = catalogService({
    source,
    index,
    installs,
    jobs,
    registry,
    table,
    modelDir,
    memoryBytes,
  })
  const renders = renderQueue({ processes, tmpDir, now: deps.now })
  const models = modelService({
    registry,
    forgetInstall: installs.remove,
    resident,
    probe: capabilityProbe({ resolve: credentials.resolve, resident, table }),
  })
  const { answerWithinMs } = deps
  const remote = remoteProvider({ credentials, version, answerWithinMs })
  const engine = engineProvider({ resident, renders, version, answerWithinMs })
  const app = inferenceApp({
    log,
    version,
    v1: dataPlane({
      ids: models.ids,
      serve: serveModels({ models, remote, engine }),
      live: resident.model,
      log,
      keepaliveMs,
      progressMs: deps.progressMs ?? LOAD_PROGRESS_MS,
    }),
    models,
    credentials,
    settings,
    bundles: bundleService({
      registry,
      credentialNames: credentials.names,
      installs,
      reinstall: catalog.reinstall,
    }),
    catalog,
    health: healthService({
      stateDir,
      modelDir,
      hfHome,
      table,
      problems: [registry, keys, stored, installs, downloads].flatMap(({ problem }) => problem ?? []),
      hasRemoteModel: models.hasRemote,
    }),
  })
  const stopping = new AbortController()
  jobs.start()
  void loadKeptWarm({ registry, resident, log, signal: stopping.signal })
  return {
    app,
    async stop() {
      stopping.abort()
      await jobs.stop()
      await index.settled()
      await resident[Symbol.asyncDispose]()
      await renders.idle()
    },
  }
}
