import type { Opened } from '#kernel/db/open'
import type { Env } from '#kernel/env'
import type { Logger } from '#kernel/log'
import type { SecretBox } from '#kernel/secrets'
import { controlApp } from './app'

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
  now: () => number
}

/** Builds the control plane's services and routes. */
export async function controlPlane(deps: ControlDeps) {
  const app = controlApp({ authenticate: async () => null }, deps)
  return {
    app,
    /** Ends background work and writes out what is still buffered. */
    async stop() {},
  }
}
