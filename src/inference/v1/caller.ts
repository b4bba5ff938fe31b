/** What of a caller matters besides the request. */
export interface Caller {
  /** Fires when the caller leaves. */
  signal: AbortSignal
  /** The run that asks: engines of this machine are told, providers never. */
  runId: string | null
  load: LoadWait
}

/** A caller's wait for an engine; told by who waits, read by who tells the caller. */
interface LoadWait {
  /** Whose engine is waited for now. */
  model: string | null
  /** How long was waited, once that is over. */
  tookMs: number
}

/** What a header can carry on, and no longer than an id is. */
const RUN_ID = /^[\x21-\x7e]{1,200}$/

export function callerOf({ signal, headers }: Request): Caller {
  const runId = headers.get('x-service-run-id')
  return {
    signal,
    runId: runId !== null && RUN_ID.test(runId) ? runId : null,
    load: { model: null, tookMs: 0 },
  }
}
