import type { Ports } from '#graph/ports'
import type { Opened } from '#kernel/db/open'
import { type Env, workerHost } from '#kernel/env'
import type { Logger } from '#kernel/log'
import type { SecretBox } from '#kernel/secrets'
import type { CapturePolicyOfAgent } from '../agents/policy'
import type { AgentService } from '../agents/service'
import type { ArtifactService } from '../artifacts/service'
import type { GraphStore } from '../runs/graph-store'
import type { Lookups } from '../runs/preflight'
import type { RunService } from '../runs/service'
import type { SessionService } from '../sessions/service'
import type { CapturePolicy } from '../traces/captured'
import { runTrace, type TraceSink } from '../traces/record'
import type { TraceService } from '../traces/service'
import { childAgents } from './agents'
import type { DurableEngine } from './engine'
import type { pgBossEngine } from './engine.pgboss'
import { sqliteEngine } from './engine.sqlite'
import { durableHost } from './host'
import { payloads as payloadsIn } from './payloads'
import { sealing as sealingWith } from './sealing'
import { durableService } from './service'
import { settling } from './settling'
import { durableStore } from './store'
import { durableWrites } from './writes'

/** What a stop leaves for the steps that are in flight; then their runs are handed back as they are. */
const DRAIN_MS = 5_000
/** And what it leaves for handing back. */
const LAST_WRITES_MS = 1_500
/** SQLite has one writer. On Postgres a commit is a dozen round trips and a disk to wait for. */
const MAX_COMMITS = { sqlite: 1, postgres: 3 }

interface Deps {
  database: Opened
  /** Durable mode: without it no run is started or gone on with, but those there are stay. */
  enabled: boolean
  /** What spans say of who did the work. */
  executorId: 'control-plane' | 'worker'
  secrets: SecretBox
  topology: Env['SERVICE_TOPOLOGY']
  agents: AgentService
  artifacts: ArtifactService
  sessions: SessionService
  graphs: GraphStore
  ports: () => Ports
  lookups: Lookups
  visible: RunService['visible']
  recordedNodes: TraceService['recordedNodes']
  capture: (policy: CapturePolicyOfAgent | null) => CapturePolicy
  traceBeside: (sink: TraceSink) => TraceSink
  log: Logger
  now: () => number
}

/** Durable runs, put together; those that a dead process left go on from here. */
export async function durableParts(deps: Deps, signal: AbortSignal) {
  const { database, enabled, executorId, agents, artifacts, graphs, ports, lookups, log, now } = deps
  const { db, kind } = database
  const writes = durableWrites({ db, log, now, maxCommits: MAX_COMMITS[kind] })
  const sealing = sealingWith(deps)
  const payloads = payloadsIn({ db, artifacts, sealing, log, now })
  const { settled, tell } = settling({ db })
  const host = durableHost({
    ...deps,
    db,
    writes,
    payloads,
    agents: childAgents({ agents, graphs, lookups }),
    openTrace: (run, sink) => runTrace({ sink, now, executorId, workerHost }, run),
    executor: `${workerHost}:${crypto.randomUUID()}`,
    onEnd: tell,
  })
  const engine: DurableEngine =
    kind === 'sqlite' ? sqliteEngine({ log, now }) : await pgBoss({ address: database.address, log, now })
  const service = durableService({
    ...deps,
    db,
    engine: enabled ? engine : NO_ENGINE,
    host,
    writes,
    payloads,
    settings: () => ports().settings,
    settled,
    tell,
  })

  if (enabled) {
    if (deps.topology === 'hosted' && !sealing.isSealing)
      log.warn('SERVICE_SECRET_KEY is not set: checkpoints of durable runs are not sealed.')
    await payloads.tidy(signal)
    // One process has the file: whatever looks at work is what its predecessor left.
    if (kind === 'sqlite') await durableStore(db).releaseAll(now())
    await engine.start(host.activate)
    await host.watch(engine, signal)
  }

  return {
    service,

    /** Begins nothing new, lets what is in flight end, and hands the rest back. */
    async stop() {
      if (!enabled) return
      host.drain()
      const giveUp = setTimeout(writes.stop, DRAIN_MS + LAST_WRITES_MS)
      await engine.stop({ drainMs: DRAIN_MS })
      clearTimeout(giveUp)
      writes.stop()
    },
  }
}

/** Loaded only where it is used: a desktop launch starts without it. */
const pgBoss = async (deps: Parameters<typeof pgBossEngine>[0]) =>
  (await import('./engine.pgboss')).pgBossEngine(deps)

const NO_ENGINE: Pick<DurableEngine, 'wake' | 'cancel'> = { wake: async () => {}, cancel: async () => {} }
