import type { Opened } from '#kernel/db/open'
import { type Env, workerHost } from '#kernel/env'
import type { OutboundFetch } from '#kernel/http/outbound'
import type { Logger } from '#kernel/log'
import type { SecretBox } from '#kernel/secrets'
import type { CapturePolicyOfAgent } from '../agents/policy'
import type { AgentService } from '../agents/service'
import type { ArtifactService } from '../artifacts/service'
import { durableParts } from '../durable/assemble'
import { inferenceClient } from '../inference'
import { mediaClient } from '../inference-media'
import { sessionService } from '../sessions/service'
import { captureLevel } from '../settings/capture'
import type { SettingsService } from '../settings/service'
import { closeAbandoned } from '../traces/abandoned'
import { runTrace, type TraceSink } from '../traces/record'
import { traceService } from '../traces/service'
import { traceWriter } from '../traces/writer'
import { graphStore } from './graph-store'
import { graphRunService } from './graphs'
import { instanceKeeper, instanceName } from './instance'
import { launcher } from './launch'
import { liveRuns, RUN_LIMITS, type RunLimits } from './live-runs'
import { artifactPort } from './ports/artifacts'
import { counters } from './ports/counters'
import { runPorts } from './ports/ports'
import { retrievalPort, toolPort } from './ports/tools'
import type { Lookups } from './preflight'
import { runWrites } from './run-writes'
import { runService } from './service'
import { streamingMarks } from './streaming-marks'
import { unattendedRuns } from './unattended'

/** Interactive runs are done by the process that took them. */
const EXECUTOR_ID = 'inproc'

interface Deps {
  database: Opened
  env: Env
  secrets: SecretBox
  settings: Pick<SettingsService, 'get'>
  agents: AgentService
  artifacts: ArtifactService
  outbound: OutboundFetch
  /** Sends spans elsewhere besides storing them. */
  traceBeside: (sink: TraceSink) => TraceSink
  inferenceUrl: string
  /** Durable mode. */
  durable: boolean
  /** A worker does durable runs alone: it serves nobody, and is none of the control planes that share a database. */
  isWorker?: boolean
  /** Tests shorten them. */
  runLimits?: Partial<RunLimits>
  log: Logger
  now: () => number
}

/** Runs, sessions and traces, put together; ready once what a dead process left is cleaned up. */
export async function runningParts(
  {
    database,
    env,
    secrets,
    settings,
    agents,
    artifacts,
    outbound,
    traceBeside,
    inferenceUrl,
    durable: isDurable,
    isWorker = false,
    runLimits,
    log,
    now,
  }: Deps,
  signal: AbortSignal,
) {
  const { db } = database
  const instanceId = instanceName(env.SERVICE_CONTROL_PLANE_PORT)
  const keeper = instanceKeeper({
    database,
    instanceId,
    closeSpans: closeAbandoned,
    // They are stored already, and only have to be sent.
    onClosed: traceBeside(STORED).span,
    log,
    now,
  })
  if (!isWorker) await keeper.start(signal)

  const live = liveRuns({ limits: { ...RUN_LIMITS, ...runLimits }, log })
  const writer = traceWriter({ db, log })
  const sink = traceBeside(writer)
  const sessions = sessionService({ db, now })
  const marks = streamingMarks({ db, log, now })
  const inference = inferenceClient({ url: inferenceUrl })
  const capture = (policy: CapturePolicyOfAgent | null) => ({
    level: captureLevel({
      ceiling: settings.get('telemetry.io_capture'),
      topology: env.SERVICE_TOPOLOGY,
      policy: policy?.io_capture,
    }).level,
    maxBytes: settings.get('telemetry.io_capture_max_bytes'),
    redact: policy?.redact_rules,
  })
  const launch = launcher({
    db,
    writes: runWrites({ db }),
    sessions,
    live,
    marks,
    openTrace: (run) => runTrace({ sink, now, executorId: EXECUTOR_ID, workerHost }, run),
    instanceId,
    log,
    now,
  })
  const runs = runService({
    db,
    inference,
    sessions,
    live,
    marks,
    launch,
    cancelDurable: (id, error) => durable.service.cancel(id, error),
    capture: () => capture(null),
    now,
  })
  const ports = runPorts({
    inference,
    media: mediaClient({ url: inferenceUrl }),
    tools: toolPort({ outbound }),
    retrieval: retrievalPort,
    artifacts: artifactPort(artifacts),
    counters: counters({ db, flushSpans: writer.flush, now }),
    toolResultMaxChars: () => settings.get('tools.result_max_chars'),
    now,
  })
  const traces = traceService({ db, writer, runs })
  const graphs = graphStore({ db, now })
  const graphRuns = graphRunService({
    agents,
    sessions,
    graphs,
    launch,
    ports,
    visible: runs.visible,
    recordedNodes: traces.recordedNodes,
    lookups: NOTHING_YET,
    capture,
    primingMs: live.limits.primingMs,
  })
  const durable = await durableParts(
    {
      database,
      enabled: isDurable,
      secrets,
      topology: env.SERVICE_TOPOLOGY,
      executorId: isWorker ? 'worker' : 'control-plane',
      agents,
      artifacts,
      sessions,
      graphs,
      ports,
      lookups: NOTHING_YET,
      visible: runs.visible,
      recordedNodes: traces.recordedNodes,
      capture,
      traceBeside,
      log,
      now,
    },
    signal,
  )

  return {
    runs,
    graphRuns,
    unattended: unattendedRuns({ db, graphRuns, live }),
    durable: durable.service,
    sessions,
    traces,
    /** Fails the runs that go on, then writes out their last spans. */
    async stop() {
      await live.stop()
      await durable.stop()
      await writer.stop()
      if (!isWorker) await keeper.stop()
    },
  }
}

const STORED: TraceSink = { span: () => {}, io: () => {} }

/** Neither MCP servers nor document sources can be registered, so a graph that names one names nothing. */
const NOTHING_YET: Lookups = {
  hasMcpServer: async () => false,
  mayHaveMcpTool: async () => true,
  hasRagSource: async () => false,
}
