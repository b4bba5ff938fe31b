/**
 * What makes runs go on: says which run to activate, one owner at a time, now or later, and again when its owner died.
 * It knows no graph and stores no payload. What a run has done so far is in our own journal, whose epoch is the fence:
 * an engine that activates a run twice costs time, never a wrong result. Schedules are not its matter: whoever fires
 * them claims each instant in the database and starts a run.
 */
export interface DurableEngine {
  /** Begins to activate runs. `on` resolves with what became of the activation; a rejection is tried again later. */
  start(on: (activation: Activation) => Promise<ActivationEnd>): Promise<void>
  /** Activates nothing more and waits so long for what goes on. */
  stop(options: { drainMs: number }): Promise<void>
  /** A hint that the run has something to do, now or at `at`: idempotent, and it may be lost, for the sweep repairs it. */
  wake(runId: string, at?: number): Promise<void>
  /** The same for many at once: what the sweep found due, most of which are queued already. */
  wakeAll(runIds: string[]): Promise<void>
  /** The run has ended: what is queued for it is not needed any more. Also a hint. */
  cancel(runId: string): Promise<void>
}

export interface Activation {
  runId: string
  /** What the owner has the run by. The same lease is given again only when its owner died. */
  lease: string
  /** The last owner died: the run may still look as if it worked on it, by the same lease. */
  takeover: boolean
  /** Fires when this owner must let go of the run. */
  signal: AbortSignal
}

/** `stale`: the run was somebody else's, or had nothing to do. */
export type ActivationEnd =
  | { kind: 'done' | 'stale' }
  /** `wakeAt` in epoch milliseconds; null waits for a person alone. */
  | { kind: 'waiting'; wakeAt: number | null }
  /** Handed back: somebody should take it over at once. */
  | { kind: 'released' }
