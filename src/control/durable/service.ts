import type { Ports } from '#graph/ports'
import { askedOnce } from '#kernel/asked-once'
import { durably } from '#kernel/db/portable'
import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import type { Principal } from '#kernel/http/plane'
import { isoTimeOrNull } from '#kernel/http/shapes'
import { newId } from '#kernel/ids'
import type { CapturePolicyOfAgent } from '../agents/policy'
import type { AgentService, Pin, ResolvedAgent } from '../agents/service'
import type { GraphStore } from '../runs/graph-store'
import { modelOf } from '../runs/graphs'
import type { Caller } from '../runs/launch'
import { type Lookups, preflight } from '../runs/preflight'
import { recordedInput, reusedNodes } from '../runs/reuse'
import type { RunService } from '../runs/service'
import type { RunRow } from '../runs/store'
import type { SessionService } from '../sessions/service'
import { closeAbandoned } from '../traces/abandoned'
import type { CapturePolicy } from '../traces/captured'
import type { TraceService } from '../traces/service'
import type { RunStart } from './activation'
import type { DurableRuns, DurableStart, DurableState } from './durable-runs'
import type { DurableEngine } from './engine'
import { type DurableHost, INTERPRETER_VERSION } from './host'
import type { Payloads } from './payloads'
import { missingKeys } from './resume-check'
import type { Awaiting, Fork, Resume, StartDurable } from './schema'
import { SealedAway } from './sealing'
import { AT_ONCE, durableStore, type GateRow } from './store'
import type { DurableWrites } from './writes'

interface Deps {
  db: Db
  enabled: boolean
  engine: Pick<DurableEngine, 'wake' | 'cancel'>
  host: Pick<DurableHost, 'deliver' | 'lose'>
  writes: DurableWrites
  payloads: Payloads
  agents: Pick<AgentService, 'resolve' | 'policyOf'>
  sessions: Pick<SessionService, 'replay'>
  graphs: GraphStore
  lookups: Lookups
  visible: RunService['visible']
  recordedNodes: TraceService['recordedNodes']
  capture: (policy: CapturePolicyOfAgent | null) => CapturePolicy
  /** As they are now; the run keeps them. */
  settings: () => Ports['settings']
  settled: (runId: string, withinMs: number) => Promise<DurableState>
  tell: (runId: string) => void
  now: () => number
}

interface Enqueue {
  resolved: ResolvedAgent
  input: unknown
  sessionId?: string | null
  triggerId?: string | null
  claim?: DurableStart['claim']
  parentRunId?: string
  recorded?: RunStart['recorded']
}

export type DurableService = ReturnType<typeof durableService>

export function durableService(deps: Deps) {
  const { db, enabled, engine, host, writes, payloads, agents, sessions, graphs, now } = deps

  const resolve = askedOnce(
    ({ agentId, pin }: { agentId: string; pin?: Pin }) =>
      JSON.stringify([agentId, pin?.version, pin?.content_hash]),
    ({ agentId, pin }) => agents.resolve(agentId, pin),
  )
  const policyOf = askedOnce((agentId: string) => agentId, agents.policyOf)

  function requireDurable() {
    if (!enabled) throw new AppError('durable_required', 'Durable mode is off: set SERVICE_DURABLE=true.')
  }

  /** Stores the run; from here on it is done whatever dies. */
  async function enqueue(caller: Caller, run: Enqueue): Promise<{ runId: string }> {
    const {
      resolved,
      input,
      sessionId = null,
      triggerId = null,
      parentRunId = null,
      recorded = {},
      claim,
    } = run
    const { document, contentHash } = resolved
    await preflight(document, deps.lookups, true)
    // What fires by itself remembers nothing of a session (interface, 3.4).
    const history = sessionId && triggerId === null ? await sessions.replay(caller, sessionId) : []
    const capture = deps.capture(await policyOf(document.id))
    await graphs.keep(contentHash, document)
    const start: RunStart = { input: input ?? null, history, recorded, settings: deps.settings(), capture }
    const at = now()
    const runId = newId('bare', at)
    const kept = await payloads.keep(runId, start)
    const rows = {
      run: {
        id: runId,
        status: 'created' as const,
        model: modelOf(document),
        session_id: sessionId,
        graph_id: document.id,
        graph_version: document.version,
        content_hash: contentHash,
        trigger_id: triggerId,
        parent_run_id: parentRunId,
        user_id: caller.userId,
        runtime: 'durable' as const,
        capture_level: capture.level,
        created_at: at,
        updated_at: at,
      },
      durable: {
        run_id: runId,
        state: 'queued' as const,
        epoch: 0,
        wake_at: AT_ONCE,
        enqueued_at: at,
        interp_version: INTERPRETER_VERSION,
        start: kept.json,
        start_ref: kept.ref,
      },
    }
    const isStored = await writes.add({ start: { ...rows, claim } })
    if (isStored) await hint(runId)
    else await payloads.drop(runId)
    return { runId }
  }

  /** The sweep finds what a lost hint left. */
  const hint = (runId: string) => engine.wake(runId).catch(() => {})

  const startOf = async (caller: Caller, { agentId, pin, ...rest }: DurableStart) => {
    requireDurable()
    return enqueue(caller, { ...rest, resolved: await resolve({ agentId, pin }) })
  }

  async function deliver(row: RunRow, place: string, gate: GateRow | undefined, answer: unknown) {
    const outcome = await payloads.keep(row.id, { kind: 'answer', value: answer ?? null })
    const isThere = row.content_hash !== null && (await graphs.find(row.content_hash)) !== null
    return durably(db, async (tx) => {
      const store = durableStore(tx)
      // The order in which rows are locked is that of every other writer.
      const isLive = isThere && gate !== undefined && (await store.makeDue(row.id, now()))
      if (!isLive) return (await endGone(tx, row.id)) ? 'gone' : 'not_waiting'
      if (!(await store.goesOn(row.id, place, now()))) return 'not_waiting'
      await store.settleGate(row.id, gate.key, outcome)
      return 'ok'
    })
  }

  async function endGone(tx: Db, runId: string): Promise<boolean> {
    const error = 'the durable workflow of this run no longer exists'
    const store = durableStore(tx)
    const ended = await store.end([{ id: runId, ...failed(error) }], now())
    await store.remove([runId])
    await closeAbandoned(tx, [runId], error, now())
    return ended.length > 0
  }

  /** A person can answer without it. */
  function shown(input: string | null | undefined) {
    try {
      return parsed(input && payloads.open(input))
    } catch (error) {
      if (error instanceof SealedAway) return null
      throw error
    }
  }

  return {
    enabled,
    start: startOf,
    settled: deps.settled,

    async ofAgent(
      caller: Caller,
      agentId: string,
      { input, version, content_hash, session_id }: StartDurable,
    ) {
      requireDurable()
      if (input === undefined) throw new AppError('validation_error', 'body.input: a run needs an input.')
      const pin = { version, content_hash }
      const { runId } = await startOf(caller, { agentId, pin, input, sessionId: session_id })
      return { run_id: runId }
    },

    /** @throws {AppError} `run_not_found`, `run_not_waiting` */
    async awaiting(principal: Principal, id: string): Promise<Awaiting> {
      const { status, awaiting_node: node } = await deps.visible(principal, id)
      if (status !== 'waiting' || node === null) throw notWaiting(id)
      const gate = await durableStore(db).gateAt(id, node)
      return {
        node,
        prompt: gate?.prompt ?? null,
        inputSchema: parsed(gate?.input_schema),
        deadline: isoTimeOrNull(gate?.deadline ?? null),
        input: shown(gate?.input),
      }
    },

    /**
     * Answers the gate where a run waits. The order of the checks is that of the specification (interface, 3.4).
     * @throws {AppError} `run_not_found`, `durable_required`, `run_not_waiting`, `awaiting_node_missing`,
     *   `resume_schema_mismatch`, `workflow_gone`
     */
    async resume(principal: Principal, id: string, { input, node }: Resume) {
      const row = await deps.visible(principal, id)
      requireDurable()
      if (row.status !== 'waiting') throw notWaiting(id)
      const place = row.awaiting_node
      if (place === null) throw new AppError('awaiting_node_missing', `The run ${id} waits, but at no node.`)
      if (node !== undefined && node !== place) throw notWaiting(id, node)
      const gate = await durableStore(db).gateAt(id, place)
      const missing = missingKeys(parsed(gate?.input_schema), input)
      if (missing !== null) throw new AppError('resume_schema_mismatch', missing)
      const end = await deliver(row, place, gate, input)
      if (end === 'gone') await payloads.drop(id)
      if (end === 'not_waiting') throw notWaiting(id)
      if (end === 'gone')
        throw new AppError('workflow_gone', `The run ${id} cannot go on: its workflow is gone.`)
      await hint(id)
      await host.deliver(id)
      return { runId: id, status: 'resuming' as const, awaitingNode: place }
    },

    /** Ends a run wherever it is done; false when it has ended already. */
    async cancel(id: string, error: string): Promise<boolean> {
      const isFirst = await durably(db, async (tx) => {
        const store = durableStore(tx)
        // Its row goes first, so that its owner writes nothing any more.
        await store.remove([id])
        const ended = await store.end([{ id, ...failed(error) }], now())
        if (ended.length > 0) await closeAbandoned(tx, [id], error, now())
        return ended.length > 0
      })
      host.lose(id)
      deps.tell(id)
      // A job that is left finds the run ended, and does nothing.
      await engine.cancel(id).catch(() => {})
      await payloads.drop(id)
      return isFirst
    },

    /**
     * A new run with the graph of another, which takes over what that one did before `from_step`.
     * @throws {AppError} `durable_required`, `run_not_found`, `step_not_found`, `outputs_not_recorded`
     */
    async fork(principal: Principal, id: string, { from_step, input }: Fork) {
      const { content_hash } = await deps.visible(principal, id)
      requireDurable()
      const document = content_hash && (await graphs.find(content_hash))
      if (!document) throw new AppError('outputs_not_recorded', `The graph of the run ${id} is gone.`)
      const nodes = await deps.recordedNodes(id)
      const recorded = Object.fromEntries(reusedNodes(document, nodes, from_step))
      const resolved = { document, contentHash: content_hash, version: document.version }
      const { runId } = await enqueue(principal, {
        resolved,
        input: input === undefined ? recordedInput(document, nodes) : input,
        parentRunId: id,
        recorded,
      })
      return { run_id: runId }
    },
  } satisfies DurableRuns & Record<string, unknown>
}

const failed = (error: string) => ({ status: 'failed', output: null, error, note_code: null }) as const

const parsed = (json: string | null | undefined) => (json ? JSON.parse(json) : null)

const notWaiting = (id: string, node?: string) =>
  new AppError(
    'run_not_waiting',
    `The run ${id} does not wait ${node === undefined ? 'for a person' : `at ${node}`}.`,
  )
