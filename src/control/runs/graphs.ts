import { contentHash } from '#graph/hash'
import type { AgentDocument } from '#graph/ir'
import type { Ports } from '#graph/ports'
import { type RunInput, runGraph } from '#graph/run'
import { AppError } from '#kernel/errors'
import type { Principal } from '#kernel/http/plane'
import { readDocument } from '../agents/document'
import type { CapturePolicyOfAgent } from '../agents/policy'
import type { AgentService } from '../agents/service'
import type { SessionService } from '../sessions/service'
import type { CapturePolicy } from '../traces/captured'
import type { TraceService } from '../traces/service'
import type { GraphStore } from './graph-store'
import type { Caller, Launcher, StartedRun } from './launch'
import { type Lookups, preflight } from './preflight'
import { primed } from './priming'
import { recordedInput, reusedNodes } from './reuse'
import type { Rerun, RunGraph, StartAgentRun, StartGraphRun } from './schema'
import type { RunService } from './service'

interface Deps {
  agents: Pick<AgentService, 'resolve' | 'policyOf' | 'published'>
  sessions: Pick<SessionService, 'replay'>
  graphs: GraphStore
  launch: Launcher
  ports: () => Ports
  lookups: Lookups
  visible: RunService['visible']
  recordedNodes: TraceService['recordedNodes']
  /** What is kept of inputs and outputs; asked once per run. */
  capture: (policy: CapturePolicyOfAgent | null) => CapturePolicy
  primingMs: number
}

/** A run of a graph, whatever the graph came from. */
export interface GraphLaunch {
  document: AgentDocument
  contentHash: string
  /** Sent along with the run, or with the one that it does again. */
  isInline?: boolean
  policy: CapturePolicyOfAgent | null
  input: unknown
  sessionId: string | null
  parentRunId?: string
  triggerId?: string | null
  recorded?: RunInput['recorded']
}

export type GraphRunService = ReturnType<typeof graphRunService>

/** Starts runs of graphs; each resolves when its stream begins. `gone` fires when the caller leaves. */
export function graphRunService(deps: Deps) {
  const { agents, sessions, graphs, launch, ports, lookups, visible, recordedNodes, capture, primingMs } =
    deps

  async function start(caller: Caller, run: GraphLaunch, gone: AbortSignal): Promise<StartedRun> {
    const { document, contentHash, isInline, input, sessionId, parentRunId, triggerId, recorded } = run
    await preflight(document, lookups)
    const history = sessionId ? await sessions.replay(caller, sessionId) : []
    await graphs.keep(contentHash, document)
    return launch(
      caller,
      {
        model: modelOf(document),
        input,
        params: null,
        sessionId,
        capture: capture(run.policy),
        graph: { id: document.id, version: document.version, contentHash, isInline },
        parentRunId,
        triggerId,
      },
      (runId) =>
        primed(
          (emit, signal) => runGraph(document, { runId, input, history, recorded }, ports(), emit, signal),
          primingMs,
        ),
      gone,
    )
  }

  return {
    start,

    /**
     * What a run was made of; runs that came with a bundle have it where the agent's version came too.
     * @throws {AppError} `run_not_found`
     */
    async graphOf(principal: Principal, id: string): Promise<RunGraph> {
      const { content_hash, graph_id } = await visible(principal, id)
      if (content_hash === null) return { content_hash, ir: null, view: null }
      const published = await agents.published(graph_id ?? '', content_hash)
      const kept = published ? null : await graphs.find(content_hash)
      return { content_hash, ir: published?.ir ?? kept, view: published?.view ?? null }
    },

    /** @throws {AppError} `invalid_ir` and what `preflight` refuses; there is no run then */
    async inline(caller: Caller, { ir, input, session_id }: StartGraphRun, gone: AbortSignal) {
      if (input === undefined) throw new AppError('invalid_ir', 'body.input: a run needs an input.')
      const document = readDocument(ir)
      const run = { document, contentHash: contentHash(document), isInline: true, policy: null }
      return start(caller, { ...run, input, sessionId: session_id ?? null }, gone)
    },

    /** @throws {AppError} `agent_not_found`, `agent_version_not_found`, and what `preflight` refuses */
    async ofAgent(
      caller: Caller,
      agentId: string,
      request: StartAgentRun,
      gone: AbortSignal,
      triggerId?: string | null,
    ) {
      const { input, version, content_hash, session_id } = request
      if (input === undefined) throw new AppError('validation_error', 'body.input: a run needs an input.')
      const { document, contentHash } = await agents.resolve(agentId, { version, content_hash })
      const policy = await agents.policyOf(agentId)
      const run = { document, contentHash, policy, input, sessionId: session_id ?? null, triggerId }
      return start(caller, run, gone)
    },

    /**
     * Does a run again, from a node on or from the start, with the very graph it was made of.
     * @throws {AppError} `run_not_found`, `step_not_found`, `outputs_not_recorded`
     */
    async rerun(principal: Principal, id: string, { from_node, input }: Rerun, gone: AbortSignal) {
      const { content_hash, graph_id, graph_inline } = await visible(principal, id)
      const document = content_hash && (await graphs.find(content_hash))
      if (!document) {
        throw new AppError(
          'outputs_not_recorded',
          `The run ${id} has no graph. Start it anew with POST /runs.`,
        )
      }
      const nodes = await recordedNodes(id)
      const run = {
        document,
        contentHash: content_hash,
        isInline: graph_inline === 1,
        // A document that was sent along is nobody's, also where an agent has its id.
        policy: graph_inline === 1 ? null : await agents.policyOf(graph_id ?? ''),
        recorded: reusedNodes(document, nodes, from_node ?? null),
        input: input === undefined ? recordedInput(document, nodes) : input,
      }
      return start(principal, { ...run, sessionId: null, parentRunId: id }, gone)
    },
  }
}

/** Logical id of the first llm node's model; of a graph without one, nothing. */
export function modelOf({ nodes, models }: AgentDocument): string {
  const key = nodes.find(({ type }) => type === 'llm')?.config.model
  return typeof key === 'string' && Object.hasOwn(models, key) ? models[key]!.model : ''
}
