import { setTimeout as wait } from 'node:timers/promises'
import type { Pin } from '../agents/service'
import type { Fired } from './schema'
import type { TriggerRow } from './store'

/** How long whoever fired is kept waiting for the end of a run (interface, part 11a). */
const ANSWER_MS = 60_000

/** A run that a trigger asks for. */
export interface FireRequest {
  triggerId: string
  agentId: string
  /** Always set: without one the latest version would be run. */
  pin: Pin
  input: unknown
}

export interface FiredRun {
  runId: string
  /** Resolves when the run ended or waits at a gate, and never rejects. */
  settled: Promise<Fired>
}

/**
 * Starts a run and resolves when it is on its way.
 * @throws {AppError} what kept it from being a run at all
 */
export type StartFired = (request: FireRequest) => Promise<FiredRun>

export type Fire = ReturnType<typeof firing>

/** Starts the run of a trigger, and waits for what comes of it, but not for ever. The run goes on regardless. */
export const firing =
  ({ start, answerMs = ANSWER_MS }: { start: StartFired; answerMs?: number }) =>
  async (trigger: Pick<TriggerRow, 'id' | 'agent_id' | 'version' | 'content_hash'>, input: unknown): Promise<Fired> => {
    const enough = new AbortController()
    const patience = wait(answerMs, null, { signal: enough.signal, ref: false }).catch(() => null)
    try {
      const { runId, settled } = await start({
        triggerId: trigger.id,
        agentId: trigger.agent_id,
        pin: { version: trigger.version, content_hash: trigger.content_hash },
        input,
      })
      return (await Promise.race([settled, patience])) ?? { runId, status: 'streaming' }
    } finally {
      enough.abort()
    }
  }
