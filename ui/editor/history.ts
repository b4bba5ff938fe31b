/** What was, what is, and what was undone. States are immutable and share what did not change, so keeping them is cheap. */
export interface History<T> {
  past: readonly T[]
  present: T
  future: readonly T[]
  /** What the last edit was to, and when: a further edit to the same soon after is one step with it. */
  last: { to: string; at: number } | null
}

const MAX_STEPS = 500
/** A pause in typing that long begins a new step. */
const SAME_STEP_MS = 1_000

export const begin = <T>(present: T): History<T> => ({ past: [], present, future: [], last: null })

/** `to` names what is typed into, such as a field; null is always a step of its own. */
export function record<T>(history: History<T>, next: T, to: string | null, at: number): History<T> {
  if (next === history.present) return history
  const { last } = history
  const goesOn = to !== null && last !== null && last.to === to && at - last.at < SAME_STEP_MS
  return {
    past: goesOn ? history.past : [...history.past, history.present].slice(-MAX_STEPS),
    present: next,
    future: [],
    last: to === null ? null : { to, at },
  }
}

export function undo<T>({ past, present, future }: History<T>): History<T> {
  if (past.length === 0) return { past, present, future, last: null }
  return { past: past.slice(0, -1), present: past.at(-1)!, future: [present, ...future], last: null }
}

export function redo<T>({ past, present, future }: History<T>): History<T> {
  if (future.length === 0) return { past, present, future, last: null }
  return { past: [...past, present], present: future[0]!, future: future.slice(1), last: null }
}
