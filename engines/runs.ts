import type { AppError } from '#kernel/errors'
import type { Plan } from './engine'
import type { EngineRun } from './lease'
import { EngineProcess, type ProcessDeps } from './process'

/** Brings a plan to life: a server as a child process. A program that renders is started by whoever holds the lease. */
export const engineRuns =
  (deps: ProcessDeps) =>
  (id: string, plan: Plan): EngineRun =>
    plan.kind === 'server' ? new EngineProcess(id, plan, deps) : withoutProcess()

/** Its slot keeps the room that a render needs; nothing is loaded between two of them. */
function withoutProcess(): EngineRun {
  const { promise: gone, resolve } = Promise.withResolvers<void>()
  const { promise: died } = Promise.withResolvers<AppError>()
  return {
    baseUrl: null,
    died,
    gone,
    start: async () => {},
    stop: () => {
      resolve()
      return gone
    },
  }
}
