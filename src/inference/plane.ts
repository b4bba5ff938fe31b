import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Env } from '#kernel/env'
import type { Logger } from '#kernel/log'
import { inferenceApp } from './app'
import { bundleService } from './bundles/service'
import { credentialService } from './credentials/service'
import { credentialStore } from './credentials/store'
import { healthService } from './health/service'
import { capabilityProbe } from './models/capabilities'
import { modelService } from './models/service'
import { registryStore } from './models/store'
import { settingsService } from './settings/service'
import { settingsStore } from './settings/store'
import { KEEPALIVE_MS } from './v1/keepalive'
import { remoteProvider } from './v1/provider'
import { serveModels } from './v1/serve'
import { dataPlane } from './v1/service'

export interface InferenceDeps {
  env: Pick<Env, 'SERVICE_MAX_RESIDENT' | 'HF_HOME'>
  log: Logger
  version: string
  stateDir: string
  modelDir: string
  /** Looks a name up in the process environment, for `secret://NAME`. */
  environmentSecret: (name: string) => string | undefined
  now: () => number
  /** Silence after which a render's connection is kept with white space. */
  keepaliveMs?: number
  /** How long a provider may take to begin its answer. */
  answerWithinMs?: number
}

/** Builds the inference plane's services and routes. */
export async function inferencePlane(deps: InferenceDeps) {
  const { env, log, version, stateDir, modelDir, environmentSecret, keepaliveMs = KEEPALIVE_MS } = deps
  const state = { dir: stateDir, log, now: deps.now }
  const registry = await registryStore(state)
  const keys = await credentialStore(state)
  const stored = await settingsStore(state)

  const credentials = credentialService({ store: keys, environmentSecret })
  const settings = settingsService({ store: stored, pinned: env.SERVICE_MAX_RESIDENT })
  const models = modelService({
    registry,
    probe: capabilityProbe(credentials),
    maxResident: settings.maxResident,
  })
  const remote = remoteProvider({ credentials, version, answerWithinMs: deps.answerWithinMs })
  const app = inferenceApp({
    log,
    version,
    v1: dataPlane({ ids: models.ids, serve: serveModels({ models, remote }), log, keepaliveMs }),
    models,
    credentials,
    settings,
    bundles: bundleService({ registry, credentialNames: credentials.names }),
    health: healthService({
      stateDir,
      modelDir,
      hfHome: env.HF_HOME ?? join(homedir(), '.cache', 'huggingface'),
      problems: [registry, keys, stored].flatMap(({ problem }) => problem ?? []),
      hasRemoteModel: models.hasRemote,
    }),
  })
  return { app, async stop() {} }
}
