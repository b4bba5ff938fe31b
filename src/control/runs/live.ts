import type { Execute, RunEvent } from '#graph/events'
import { AppError } from '#kernel/errors'
import type { Logger } from '#kernel/log'
import type { RunTrace } from '../traces/record'
import { type FrameSource, frameLog } from './frame-log'
import { frameWriter } from './frames'

export type Outcome =
  /** `note` says why the output is empty. */
  | { status: 'completed'; output: string; note: string | null; noteCode: string | null }
  | { status: 'failed'; error: AppError }

export interface LiveLimits {
  /** How long a run goes on with nobody attached. */
  graceMs: number
  /** How much one run may stream, in characters of its frames. */
  maxRunChars: number
}

export interface Work {
  id: string
  userId: string | null
  model: string
  execute: Execute
  trace: RunTrace
  /** Called at the first event of the work, which is when the stream begins. */
  onStreaming(): void
  /** Writes the end down; what it returns is what counts, for somebody else may have ended the run meanwhile. */
  finish(outcome: Outcome): Promise<Outcome>
}

/** Somebody who waits for a run. While there is one, the run goes on. */
export interface Attachment {
  /** The run's frames after frame `cursor`; detaches when they end or the reader leaves. */
  frames(cursor: number): FrameSource
  detach(): void
}

export type LiveRun = ReturnType<typeof liveRun>

export const interrupted = (why: string, code = 'run_interrupted') =>
  new AppError(code, `interrupted: ${why}`, { status: 503 })

/** Does the work of one run, keeps its frames, and ends it when it is stopped or everybody has left. */
export function liveRun(
  { id, userId, model, execute, trace, onStreaming, finish }: Work,
  { graceMs, maxRunChars }: LiveLimits,
  log: Logger,
) {
  const frames = frameLog()
  const writer = frameWriter(id, model, frames)
  const work = new AbortController()
  const started = Promise.withResolvers<void>()
  // Nobody has to wait for the start: a run that is not streamed is waited for by its outcome alone.
  started.promise.catch(() => {})
  let stopReason: AppError | undefined
  let ending = false
  let attached = 0
  let grace: ReturnType<typeof setTimeout> | undefined

  function emit(event: RunEvent) {
    if (event.type === 'streaming') onStreaming()
    // Once it is stopped, the run's stream has nothing more to say but its end; its spans still close.
    if (!stopReason) writer.on(event)
    trace.on(event)
    if (event.type === 'streaming') started.resolve()
    if (frames.chars > maxRunChars) stop(tooLarge(maxRunChars))
  }

  function stop(reason: AppError): Promise<Outcome> {
    if (!ending) {
      stopReason ??= reason
      work.abort()
    }
    return outcome
  }

  async function run(): Promise<Outcome> {
    const ended = await execute(emit, work.signal).then(
      ({ output, note = null, note_code = null }): Outcome =>
        stopReason
          ? { status: 'failed', error: stopReason }
          : { status: 'completed', output, note, noteCode: note_code },
      (error): Outcome => ({ status: 'failed', error: stopReason ?? asFailure(error, id, log) }),
    )
    ending = true
    clearTimeout(grace)
    const final = await finish(ended)
    trace.end(final)
    writer.end(final)
    if (final.status === 'failed') started.reject(final.error)
    else started.resolve()
    return final
  }

  const outcome = run()

  return {
    id,
    userId,
    outcome,
    /** Resolves when the stream begins; rejects when the run failed before. */
    started: started.promise,
    trace,
    get keptChars() {
      return frames.chars + trace.frames.chars
    },

    /** Ends the run as failed for that reason, unless it is ending already. */
    stop,

    /** `gone` fires when the one who attached has left, also before any frame was asked for. */
    attach(gone: AbortSignal): Attachment {
      attached++
      clearTimeout(grace)
      let here = true
      function detach() {
        if (!here) return
        here = false
        attached--
        if (attached > 0 || ending) return
        grace = setTimeout(() => void stop(interrupted('client disconnected mid-stream')), graceMs)
      }
      if (gone.aborted) detach()
      else gone.addEventListener('abort', detach, { once: true })
      return {
        detach,
        frames: (cursor) =>
          async function* (signal) {
            try {
              yield* frames.after(cursor, signal)
            } finally {
              detach()
            }
          },
      }
    },
  }
}

const tooLarge = (maxChars: number) =>
  new AppError(
    'output_too_large',
    `The model sent more than a run may hold (${Math.floor(maxChars / 1024)} Ki characters of frames). Set maxTokens.`,
  )

/** What is not meant for the caller is a bug: the log has it, under the run's id. */
function asFailure(error: unknown, runId: string, log: Logger): AppError {
  if (error instanceof AppError) return error
  log.error({ err: error, run: runId }, 'a run ended in an unexpected failure')
  return new AppError('internal_error', `Something went wrong here. The log has it under the run ${runId}.`)
}
