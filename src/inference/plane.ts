import type { Logger } from '#kernel/log'
import { inferenceApp } from './app'

export interface InferenceDeps {
  log: Logger
  version: string
  stateDir: string
  modelDir: string
  /** Looks a name up in the process environment, for `secret://NAME`. */
  environmentSecret: (name: string) => string | undefined
  now: () => number
}

/** Builds the inference plane's services and routes. */
export async function inferencePlane(deps: InferenceDeps) {
  const app = inferenceApp(deps)
  return { app, async stop() {} }
}
