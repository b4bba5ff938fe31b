/**
 * When a working copy is sent to the server (interface, 12), decided apart from who sends it:
 * 1. a change waits 1.5 s for the next one, but no change waits more than 8 s;
 * 2. the first time is a POST, which makes the draft; later a PUT; one request at a time;
 * 3. a draft that is gone (404) is made anew;
 * 4. a request that failed is tried again, ever more slowly, and a new change does not hurry it.
 */
export const DEBOUNCE_MS = 1_500
export const MAX_DEFER_MS = 8_000
const RETRY_MS = [2_000, 5_000, 15_000, 30_000]

export interface Autosave {
  draftId: string | null
  /** Number of the newest change, and of the newest that the server has. */
  changed: number
  saved: number
  /** First change that is not saved, and the newest, as times. */
  since: number | null
  latest: number | null
  /** What is on its way: the number of its newest change. */
  sending: number | null
  failures: number
  retryAt: number | null
  error: unknown
}

export type SaveEvent =
  | { type: 'changed'; at: number }
  | { type: 'tick'; at: number }
  | { type: 'saved'; at: number; draftId: string }
  | { type: 'failed'; at: number; error: unknown; gone: boolean }
  /** Back online, or asked for by hand: at once. */
  | { type: 'now'; at: number }

/** What to do now: send the working copy, or come back at a time. */
export type SaveAction =
  | { do: 'send'; draftId: string | null }
  | { do: 'wait'; until: number }
  | { do: 'nothing' }

export const newAutosave = (draftId: string | null): Autosave => ({
  draftId,
  changed: 0,
  saved: 0,
  since: null,
  latest: null,
  sending: null,
  failures: 0,
  retryAt: null,
  error: null,
})

export const isSaved = ({ changed, saved }: Autosave) => changed === saved

export function step(state: Autosave, event: SaveEvent): { state: Autosave; action: SaveAction } {
  const next = heard(state, event)
  const due = dueAt(next)
  if (due === null || next.sending !== null) return { state: next, action: { do: 'nothing' } }
  if (event.at < due) return { state: next, action: { do: 'wait', until: due } }
  return {
    state: { ...next, sending: next.changed, retryAt: null },
    action: { do: 'send', draftId: next.draftId },
  }
}

function heard(state: Autosave, event: SaveEvent): Autosave {
  switch (event.type) {
    case 'changed':
      return { ...state, changed: state.changed + 1, since: state.since ?? event.at, latest: event.at }
    case 'tick':
      return state
    case 'now':
      return { ...state, since: isSaved(state) ? null : 0, latest: isSaved(state) ? null : 0, retryAt: null }
    case 'saved':
      return saved(state, event.draftId)
    case 'failed':
      return failed(state, event)
  }
}

function saved(state: Autosave, draftId: string): Autosave {
  const newest = state.sending ?? state.saved
  // What came in meanwhile waits from its own time on.
  const since = newest === state.changed ? null : state.latest
  return {
    ...newAutosave(draftId),
    changed: state.changed,
    saved: newest,
    since,
    latest: since,
  }
}

function failed(state: Autosave, { at, error, gone }: SaveEvent & { type: 'failed' }): Autosave {
  const failures = state.failures + 1
  // A draft that somebody deleted is made anew at once.
  const pause = gone && failures === 1 ? 0 : RETRY_MS[Math.min(failures, RETRY_MS.length) - 1]!
  return {
    ...state,
    draftId: gone ? null : state.draftId,
    sending: null,
    failures,
    retryAt: at + pause,
    error,
  }
}

function dueAt({ changed, saved, since, latest, retryAt }: Autosave): number | null {
  if (changed === saved) return null
  if (retryAt !== null) return retryAt
  return Math.min((latest ?? 0) + DEBOUNCE_MS, (since ?? 0) + MAX_DEFER_MS)
}
