import type { Execute } from '#graph/events'
import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import type { Principal } from '#kernel/http/plane'
import { newId } from '#kernel/ids'
import { asText } from '#kernel/json'
import type { Logger } from '#kernel/log'
import type { Page } from '#kernel/paging'
import type { Inference } from '../inference'
import type { SessionService } from '../sessions/service'
import type { CapturePolicy } from '../traces/captured'
import type { RunTrace } from '../traces/record'
import type { Streamed } from './answer'
import { type Alongside, recordEnd } from './end'
import { type FrameLog, frameLog } from './frame-log'
import { frameWriter } from './frames'
import type { Attachment, LiveRun } from './live'
import type { LiveRuns } from './live-runs'
import { present } from './present'
import { promptRun } from './prompt'
import type { RunResult, StartRun } from './schema'
import { type RunRow, runStore } from './store'
import { streamingMarks } from './streaming-marks'

interface Deps {
  db: Db
  inference: Inference
  sessions: Pick<SessionService, 'replay' | 'appendTo'>
  live: LiveRuns
  /** What is kept of inputs and outputs; asked once per run. */
  capture: () => CapturePolicy
  openTrace: (run: { runId: string; capture: CapturePolicy }) => RunTrace
  instanceId: string
  log: Logger
  now: () => number
}

/** What a run is about, whatever kind of work it is. */
interface Launch {
  model: string
  input: unknown
  params: Record<string, unknown> | null
  sessionId: string | null
}

/** A run that has begun to stream. */
export interface StartedRun {
  stream: Streamed
  /** @throws {AppError} why the run failed */
  result(): Promise<RunResult>
}

export type RunService = ReturnType<typeof runService>

export function runService(deps: Deps) {
  const { db, inference, sessions, live, capture, openTrace, instanceId, log, now } = deps
  const store = runStore(db)
  const { keepaliveMs } = live.limits
  const marks = streamingMarks({ db, log, now })

  /** Another account's run does not exist, for all that the caller can tell. */
  async function visible(principal: Principal, id: string): Promise<RunRow> {
    await marks.flush()
    const row = await store.find(id)
    if (!row || !maySee(principal, row.user_id)) throw notFound(id)
    return row
  }

  /**
   * Writes a run down, does its work, and resolves when its stream begins.
   * @throws {AppError} what failed before, with the run's id beside it
   */
  async function launch(
    { userId }: Principal,
    { model, input, params, sessionId }: Launch,
    work: (runId: string) => Execute,
    gone: AbortSignal,
  ): Promise<StartedRun> {
    const at = now()
    const id = newId('bare', at)
    const policy = capture()
    await store.insert({
      id,
      status: 'created',
      model,
      params: params && JSON.stringify(params),
      session_id: sessionId,
      user_id: userId,
      runtime: 'inproc',
      capture_level: policy.level,
      instance_id: instanceId,
      created_at: at,
      updated_at: at,
    })
    const end = recordEnd({ db, log, now }, id, sessionId ? appendTurn(sessionId, id, input) : undefined)
    const run = live.begin({
      id,
      userId,
      model,
      execute: work(id),
      trace: openTrace({ runId: id, capture: policy }),
      onStreaming: () => marks.add(id),
      finish: (outcome) => {
        marks.drop(id)
        return end(outcome)
      },
    })
    return started(run, run.attach(gone))
  }

  async function started(run: LiveRun, attachment: Attachment): Promise<StartedRun> {
    await run.started.catch((error) => {
      throw withRunId(error, run.id)
    })
    return {
      stream: { source: attachment.frames(0), keepaliveMs },
      async result() {
        const outcome = await run.outcome
        attachment.detach()
        if (outcome.status === 'failed') throw withRunId(outcome.error, run.id)
        return { runId: run.id, status: outcome.status, output: outcome.output }
      },
    }
  }

  const appendTurn =
    (sessionId: string, runId: string, input: unknown): Alongside =>
    (tx, assistant) =>
      sessions.appendTo(tx, sessionId, { user: asText(input), assistant, runId })

  async function stopHere(run: LiveRun): Promise<boolean> {
    const outcome = await run.stop(new AppError('run_cancelled', CANCELLED))
    return outcome.status === 'failed' && outcome.error.code === 'run_cancelled'
  }

  /** Another instance does the work, or one that died: the record ends now, and the work finds that when it ends. */
  const endElsewhere = ({ id }: RunRow): Promise<boolean> =>
    store.end(id, { status: 'failed', output: null, error: CANCELLED }, now())

  return {
    visible,

    /** A run that goes on in this process. */
    running: live.running,

    keepaliveMs,

    async list(principal: Principal, page: Page) {
      await marks.flush()
      const rows = await store.page(page, principal.role === 'admin' ? null : principal.userId)
      return { runs: rows.map(present) }
    },

    get: async (principal: Principal, id: string) => present(await visible(principal, id)),

    /** Starts a prompt run and resolves when its stream begins. `gone` fires when the caller leaves. */
    async start(principal: Principal, request: StartRun, gone: AbortSignal): Promise<StartedRun> {
      const { model, input, params, session_id } = request
      if (input === undefined) throw new AppError('validation_error', 'body.input: a run needs an input.')
      const history = session_id ? await sessions.replay(principal, session_id) : []
      return launch(
        principal,
        { model, input, params: params ?? null, sessionId: session_id ?? null },
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

const withRunId = (error: AppError, runId: string) =>
  new AppError(error.code, error.message, {
    status: error.status,
    headers: error.headers,
    beside: { ...error.beside, runId },
    cause: error,
  })

/** The stream of a run that ended, from its record: the answer in one piece. */
function retold({ id, model, status, output, error }: RunRow): FrameLog {
  const frames = frameLog()
  const writer = frameWriter(id, model, frames)
  writer.on({ type: 'streaming' })
  if (output) writer.on({ type: 'delta', text: output })
  writer.end(
    status === 'completed'
      ? { status, output: output ?? '', note: error }
      : { status: 'failed', error: new AppError('run_interrupted', error ?? '') },
  )
  return frames
}
