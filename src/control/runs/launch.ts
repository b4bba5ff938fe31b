import type { Execute } from '#graph/events'
import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import type { Role } from '#kernel/http/plane'
import { newId } from '#kernel/ids'
import { asText } from '#kernel/json'
import type { Logger } from '#kernel/log'
import type { SessionService } from '../sessions/service'
import type { CapturePolicy } from '../traces/captured'
import type { RunTrace, TracedRun } from '../traces/record'
import type { Streamed } from './answer'
import { type Alongside, recordEnd } from './end'
import type { Attachment, LiveRun } from './live'
import type { LiveRuns } from './live-runs'
import type { RunWrites } from './run-writes'
import type { RunResult } from './schema'
import type { StreamingMarks } from './streaming-marks'

/** On whose behalf a run is made; without an account it has no owner. */
export interface Caller {
  userId: string | null
  role: Role
}

/** The graph that a run is of. */
interface GraphRef {
  id: string
  version: string
  contentHash: string
  /** It was sent along with the run: no agent's policy counts for it. */
  isInline?: boolean
}

/** What a run is about, whatever kind of work it is. */
export interface Launch {
  model: string
  input: unknown
  params: Record<string, unknown> | null
  sessionId: string | null
  capture: CapturePolicy
  graph?: GraphRef
  parentRunId?: string
  triggerId?: string | null
}

/** A run that has begun to stream. */
export interface StartedRun {
  id: string
  stream: Streamed
  /** @throws {AppError} why the run failed */
  result(): Promise<RunResult>
}

interface Deps {
  db: Db
  writes: RunWrites
  sessions: Pick<SessionService, 'appendTo'>
  live: LiveRuns
  marks: StreamingMarks
  openTrace: (run: TracedRun) => RunTrace
  instanceId: string
  log: Logger
  now: () => number
}

export type Launcher = ReturnType<typeof launcher>

/**
 * Writes a run down, does its work, and resolves when its stream begins.
 * @throws {AppError} what failed before, with the run's id beside it
 */
export function launcher({ db, writes, sessions, live, marks, openTrace, instanceId, log, now }: Deps) {
  const appendTurn =
    (sessionId: string, runId: string, input: unknown): Alongside =>
    (tx, assistant) =>
      sessions.appendTo(tx, sessionId, { user: asText(input), assistant, runId })

  async function started(run: LiveRun, attachment: Attachment): Promise<StartedRun> {
    await run.started.catch((error) => {
      throw withRunId(error, run.id)
    })
    return {
      id: run.id,
      stream: { source: attachment.frames(0), keepaliveMs: live.limits.keepaliveMs },
      async result() {
        const outcome = await run.outcome
        attachment.detach()
        if (outcome.status === 'failed') throw withRunId(outcome.error, run.id)
        return { runId: run.id, status: outcome.status, output: outcome.output }
      },
    }
  }

  return async (
    { userId }: Caller,
    { model, input, params, sessionId, capture, graph, parentRunId, triggerId }: Launch,
    work: (runId: string) => Execute,
    gone: AbortSignal,
  ): Promise<StartedRun> => {
    const at = now()
    const id = newId('bare', at)
    await writes.insert({
      id,
      status: 'created',
      model,
      params: params && JSON.stringify(params),
      session_id: sessionId,
      graph_id: graph?.id ?? null,
      graph_version: graph?.version ?? null,
      content_hash: graph?.contentHash ?? null,
      graph_inline: graph?.isInline ? 1 : 0,
      parent_run_id: parentRunId ?? null,
      trigger_id: triggerId ?? null,
      user_id: userId,
      runtime: 'inproc',
      capture_level: capture.level,
      instance_id: instanceId,
      created_at: at,
      updated_at: at,
    })
    const end = recordEnd(
      { db, writes, log, now },
      id,
      sessionId ? appendTurn(sessionId, id, input) : undefined,
    )
    const run = live.begin({
      id,
      userId,
      model,
      execute: work(id),
      trace: openTrace({ runId: id, agentId: graph?.id ?? null, isInline: graph?.isInline, capture }),
      onStreaming: () => marks.add(id),
      finish: (outcome) => {
        marks.drop(id)
        return end(outcome)
      },
    })
    return started(run, run.attach(gone))
  }
}

const withRunId = (error: AppError, runId: string) =>
  new AppError(error.code, error.message, {
    status: error.status,
    headers: error.headers,
    beside: { ...error.beside, runId },
    cause: error,
  })
