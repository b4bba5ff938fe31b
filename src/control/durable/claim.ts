import type { Standing } from './store'

/** Whoever wants to be the owner of a run. */
export interface Claim {
  runId: string
  /** The process. */
  executor: string
  /** What the engine gave it the run by. */
  lease: string
  /** The engine says that the owner by this lease has died. */
  takeover: boolean
  /** The semantics it knows. */
  versions: readonly number[]
  /** How the run stood when it was claimed: written down by the claim. */
  before?: Standing
}

/** The run has something to do, or its owner is gone. */
export function isClaimable(row: Standing | undefined, claim: Claim, now: number): row is Standing {
  if (!row || !claim.versions.includes(row.interp_version)) return false
  // By another lease somebody may well be alive and at work.
  if (row.state === 'running') return claim.takeover && row.lease === claim.lease && !isClaimed(row, claim)
  return row.wake_at !== null && row.wake_at <= now
}

/** A commit whose answer was lost is tried again, and finds the run claimed: by this very claim. */
export const isClaimed = (row: Standing | undefined, { before, executor, lease }: Claim): boolean =>
  row?.state === 'running' &&
  before !== undefined &&
  row.epoch === before.epoch + 1 &&
  row.executor === executor &&
  row.lease === lease
