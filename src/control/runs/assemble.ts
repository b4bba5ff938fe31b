import type { Opened } from '#kernel/db/open'
import { type Env, workerHost } from '#kernel/env'
import type { Logger } from '#kernel/log'
import { inferenceClient } from '../inference'
import { sessionService } from '../sessions/service'
import { captureLevel } from '../settings/capture'
import type { SettingsService } from '../settings/service'
import { closeAbandoned } from '../traces/abandoned'
import { runTrace } from '../traces/record'
import { traceService } from '../traces/service'
import { traceWriter } from '../traces/writer'
import { instanceKeeper, instanceName } from './instance'
import { liveRuns, RUN_LIMITS, type RunLimits } from './live-runs'
import { runService } from './service'

/** Interactive runs are done by the process that took them. */
const EXECUTOR_ID = 'inproc'

interface Deps {
  database: Opened
  env: Env
  settings: Pick<SettingsService, 'get'>
  inferenceUrl: string
  /** Tests shorten them. */
  runLimits?: Partial<RunLimits>
  log: Logger
  now: () => number
}

/** Runs, sessions and traces, put together; ready once what a dead process left is cleaned up. */
export async function runningParts(
  { database, env, settings, inferenceUrl, runLimits, log, now }: Deps,
  signal: AbortSignal,
) {
  const { db } = database
  const instanceId = instanceName(env.SERVICE_CONTROL_PLANE_PORT)
  const keeper = instanceKeeper({ database, instanceId, closeSpans: closeAbandoned, log, now })
  await keeper.start(signal)

  const live = liveRuns({ limits: { ...RUN_LIMITS, ...runLimits }, log })
  const writer = traceWriter({ db, log })
  const sessions = sessionService({ db, now })
  const runs = runService({
    db,
    inference: inferenceClient({ url: inferenceUrl }),
    sessions,
    live,
    capture: () => ({
      level: captureLevel({
        ceiling: settings.get('telemetry.io_capture'),
        topology: env.SERVICE_TOPOLOGY,
      }).level,
      maxBytes: settings.get('telemetry.io_capture_max_bytes'),
    }),
    openTrace: (run) => runTrace({ sink: writer, now, executorId: EXECUTOR_ID, workerHost }, run),
    instanceId,
    log,
    now,
  })
  const traces = traceService({ db, writer, runs })

  return {
    runs,
    sessions,
    traces,
    /** Fails the runs that go on, then writes out their last spans. */
    async stop() {
      await live.stop()
      await writer.stop()
      await keeper.stop()
    },
  }
}
