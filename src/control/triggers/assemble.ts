import type { Db } from '#kernel/db/tables'
import type { Logger } from '#kernel/log'
import type { SecretBox } from '#kernel/secrets'
import type { AgentService } from '../agents/service'
import { dispatcher } from './dispatcher'
import { type FiredRuns, firing } from './fire'
import { hookService } from './hooks'
import { triggerService } from './service'

/** Tests shorten them. */
export interface TriggerLimits {
  tickMs?: number
  answerMs?: number
}

interface Deps {
  db: Db
  agents: Pick<AgentService, 'resolve'>
  secrets: SecretBox
  runs: FiredRuns
  durable: boolean
  triggerLimits?: TriggerLimits
  log: Logger
  now: () => number
}

/** Triggers, put together: their management, the webhooks, and the dispatcher, which runs from here on. */
export function triggerParts(deps: Deps, signal: AbortSignal) {
  const { tickMs, answerMs } = deps.triggerLimits ?? {}
  const fire = firing({ runs: deps.runs, answerMs })
  // A durable run needs nobody who waits for it, and the next schedule need not wait either.
  const start = deps.durable ? firing({ runs: deps.runs, answerMs: 0 }) : fire
  const schedules = dispatcher({ ...deps, fire: start, tickMs })
  schedules.start(signal)
  return {
    triggers: triggerService(deps),
    hooks: hookService({ ...deps, fire }),
    /** Resolves when what was being fired has been. */
    stop: schedules.stop,
  }
}
