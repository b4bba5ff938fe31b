import type { Opened } from '#kernel/db/open'
import type { Env } from '#kernel/env'
import type { Logger } from '#kernel/log'
import type { SecretBox } from '#kernel/secrets'
import { controlApp } from './app'
import { identity } from './auth/identity'
import { healthService } from './health/service'
import { runningParts } from './runs/assemble'
import type { RunLimits } from './runs/live-runs'
import { bootFacts } from './settings/boot-facts'
import { settingsService } from './settings/service'

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

/** Builds the control plane's services and routes. */
export async function controlPlane(deps: ControlDeps) {
  const { db } = deps.database
  const background = new AbortController()
  const settings = settingsService({ ...deps, db, boot: bootFacts(deps) })
  await settings.start(background.signal)
  const health = healthService({ ...deps, db, settings })
  const who = identity({ ...deps, db, settings, signal: background.signal })
  const running = await runningParts({ ...deps, settings }, background.signal)
  const app = controlApp({ ...who, health, settings, ...running }, deps)
  return {
    app,
    /** Ends background work and writes out what is still buffered. */
    async stop() {
      background.abort()
      await running.stop()
    },
  }
}
