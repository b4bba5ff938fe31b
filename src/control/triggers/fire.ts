import { storable } from '#kernel/db/portable'
import { AppError } from '#kernel/errors'
import type { DurableRuns, DurableStart } from '../durable/durable-runs'
import type { Caller } from '../runs/launch'
import type { Fired } from './schema'
import type { TriggerRow } from './store'

/** How long whoever fired is kept waiting for the end of a run (interface, part 11a). */
const ANSWER_MS = 60_000

/** Runs that triggers start are nobody's, so everybody may look at them. */
const NOBODY: Caller = { userId: null, role: 'viewer' }

/** What does the runs of triggers: durable runs, or those of this process. */
export type FiredRuns = Pick<DurableRuns, 'start' | 'settled'>

export type Fire = ReturnType<typeof firing>

/**
 * Starts the run of a trigger and waits until it has ended or waits for a person, but not for ever: the run goes on
 * regardless. Its pin is always passed on, for without one the latest version would be run.
 * @throws {AppError} what kept it from being a run at all
 */
export const firing =
  ({ runs, answerMs = ANSWER_MS }: { runs: FiredRuns; answerMs?: number }) =>
  async (
    { id, agent_id, version, content_hash }: Pick<TriggerRow, 'id' | 'agent_id' | 'version' | 'content_hash'>,
    input: unknown,
    claim?: DurableStart['claim'],
  ): Promise<Fired> => {
    const begun = performance.now()
    const { runId } = await runs.start(NOBODY, {
      agentId: agent_id,
      pin: { version, content_hash },
      input,
      triggerId: id,
      claim,
    })
    const state = await runs.settled(runId, Math.max(0, answerMs - (performance.now() - begun)))
    switch (state.status) {
      case 'completed':
        return { runId, status: state.status, output: state.output }
      case 'failed':
        return { runId, status: state.status, error: state.error }
      case 'waiting':
      case 'created':
      case 'streaming':
        return { runId, status: state.status }
    }
  }

/** What a trigger remembers of a fire that made no run. What is not meant for people is in the log. */
export const whyNoRun = (error: unknown): string =>
  error instanceof AppError
    ? storable(error.message)
    : 'Something went wrong here. The log has it under the id of the trigger.'
