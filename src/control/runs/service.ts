import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import type { Principal } from '#kernel/http/plane'
import type { Inference } from '../inference'
import type { SessionService } from '../sessions/service'
import type { CapturePolicy } from '../traces/captured'
import type { Streamed } from './answer'
import { type FrameLog, frameLog } from './frame-log'
import { frameWriter } from './frames'
import type { Launcher, StartedRun } from './launch'
import type { LiveRun } from './live'
import type { LiveRuns } from './live-runs'
import { present } from './present'
import { promptRun } from './prompt'
import type { RunQuery, StartRun } from './schema'
import { pageOfRuns } from './search'
import { type RunRow, runStore } from './store'
import type { StreamingMarks } from './streaming-marks'

interface Deps {
  db: Db
  inference: Inference
  sessions: Pick<SessionService, 'replay'>
  live: LiveRuns
  marks: StreamingMarks
  launch: Launcher
  /** Ends a run that outlives its process; false when it has ended already. */
  cancelDurable: (runId: string, error: string) => Promise<boolean>
  /** What is kept of inputs and outputs; asked once per run. */
  capture: () => CapturePolicy
  now: () => number
}

export type RunService = ReturnType<typeof runService>

export function runService({
  db,
  inference,
  sessions,
  live,
  marks,
  launch,
  cancelDurable,
  capture,
  now,
}: Deps) {
  const store = runStore(db)
  const { keepaliveMs } = live.limits

  /** Another account's run does not exist, for all that the caller can tell. */
  async function visible(principal: Principal, id: string): Promise<RunRow> {
    await marks.flush()
    const row = await store.find(id)
    if (!row || !maySee(principal, row.user_id)) throw notFound(id)
    return row
  }

  async function stopHere(run: LiveRun): Promise<boolean> {
    const outcome = await run.stop(new AppError('run_cancelled', CANCELLED))
    return outcome.status === 'failed' && outcome.error.code === 'run_cancelled'
  }

  /** Another instance does the work, or one that died: the record ends now, and the work finds that when it ends. */
  const endElsewhere = ({ id, runtime }: RunRow): Promise<boolean> =>
    runtime === 'durable'
      ? cancelDurable(id, CANCELLED)
      : store.end(id, { status: 'failed', output: null, error: CANCELLED, note_code: null }, now())

  return {
    visible,

    /** A run that goes on in this process. */
    running: live.running,

    keepaliveMs,

    async list(principal: Principal, query: RunQuery) {
      await marks.flush()
      return pageOfRuns(store, principal.role === 'admin' ? null : principal.userId, query)
    },

    get: async (principal: Principal, id: string) => present(await visible(principal, id)),

    /** Starts a prompt run and resolves when its stream begins. `gone` fires when the caller leaves. */
    async start(principal: Principal, request: StartRun, gone: AbortSignal): Promise<StartedRun> {
      const { model, input, params, session_id } = request
      if (input === undefined) throw new AppError('validation_error', 'body.input: a run needs an input.')
      const history = session_id ? await sessions.replay(principal, session_id) : []
      return launch(
        principal,
        { model, input, params: params ?? null, sessionId: session_id ?? null, capture: capture() },
        (runId) => promptRun({ inference, runId, model, input, params: params ?? {}, history }),
        gone,
      )
    },

    /**
     * The rest of a run's stream after the frame `lastEventId`, or all of it. When the frames are gone the whole can
     * still be told from the record, but not a rest.
     */
    async attach(
      principal: Principal,
      id: string,
      lastEventId: string | undefined,
      gone: AbortSignal,
    ): Promise<Streamed> {
      const cursor = Number(lastEventId ?? 0)
      const run = live.find(id)
      if (run) {
        if (!maySee(principal, run.userId)) throw notFound(id)
        return { source: run.attach(gone).frames(cursor), keepaliveMs }
      }
      const row = await visible(principal, id)
      if (cursor > 0 || !isEnded(row)) throw streamGone(id)
      return { source: (signal) => retold(row).after(0, signal), keepaliveMs }
    },

    /** @throws {AppError} `run_finished` when the run ended in another way before this could end it */
    async cancel(principal: Principal, id: string) {
      const run = live.running(id)
      if (run && !maySee(principal, run.userId)) throw notFound(id)
      const isCancelled = run ? await stopHere(run) : await endElsewhere(await visible(principal, id))
      if (!isCancelled) throw new AppError('run_finished', `The run ${id} has ended already.`)
      return { runId: id, status: 'failed' as const }
    },
  }
}

const CANCELLED = 'cancelled'

const maySee = ({ role, userId }: Principal, owner: string | null): boolean =>
  role === 'admin' || owner === null || owner === userId

const isEnded = ({ status }: RunRow): boolean => status === 'completed' || status === 'failed'

const notFound = (id: string) => new AppError('run_not_found', `There is no run ${id}.`)

const streamGone = (id: string) =>
  new AppError(
    'stream_gone',
    `The stream of the run ${id} can no longer be continued here. GET /runs/${id} has its status and output.`,
  )

/** The stream of a run that ended, from its record: the answer in one piece. */
function retold({ id, model, status, output, error }: RunRow): FrameLog {
  const frames = frameLog()
  const writer = frameWriter(id, model, frames)
  writer.on({ type: 'streaming' })
  if (output) writer.on({ type: 'delta', text: output })
  writer.end(
    status === 'completed'
      ? { status, output: output ?? '', note: error, noteCode: null }
      : { status: 'failed', error: new AppError('run_interrupted', error ?? '') },
  )
  return frames
}
