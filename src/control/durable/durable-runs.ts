import type { Db } from '#kernel/db/tables'
import type { Pin } from '../agents/service'
import type { Caller } from '../runs/launch'

/** A run of a published agent that outlives the process. */
export interface DurableStart {
  agentId: string
  /** The latest version without one; the run is bound to the content it resolves to. */
  pin?: Pin
  /** Any JSON value. */
  input: unknown
  sessionId?: string | null
  triggerId?: string | null
  /**
   * Part of the commit that stores the run; false leaves it out, because somebody else has started what it stands for.
   * It must not throw: what cannot be stored is tried again.
   */
  claim?: (tx: Db) => Promise<boolean>
}

/** Where a durable run stands: it came to its end, or waits for a person, or still goes on. */
export type DurableState =
  | { status: 'completed'; output: string }
  | { status: 'failed'; error: string }
  | { status: 'waiting'; awaitingNode: string | null }
  | { status: 'created' | 'streaming' }

/** What other slices may ask of durable runs. */
export interface DurableRuns {
  /** Durable mode; without it `start` throws. */
  readonly enabled: boolean
  /**
   * Stores the run and resolves with its id; it is then done whatever dies.
   * @throws {AppError} `durable_required` first of all without durable mode, then `agent_not_found`,
   *   `agent_version_not_found`, `session_not_found`, and what keeps a graph from being run
   */
  start(caller: Caller, request: DurableStart): Promise<{ runId: string }>
  /**
   * Waits until the run has ended or waits for a person, whichever process does it, but at most `withinMs`; tells how
   * it stands then.
   */
  settled(runId: string, withinMs: number): Promise<DurableState>
}
