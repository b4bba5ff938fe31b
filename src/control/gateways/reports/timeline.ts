import { isoTime } from '#kernel/http/shapes'
import type { RequestLine } from '../ingest/line'
import type { Agent, TimelineRequest } from './schema'

interface Stored {
  id: string
  line: string
  cost: number | null
  model: string
  at: number
}

type Recorded = RequestLine & { content?: unknown }

/** Requests as turns of agents, each sub-agent behind the one that it works for. `records` in the order of time. */
export function timelineOf(records: Stored[]): Agent[] {
  const read = records.map((record) => ({ record, line: JSON.parse(record.line) as Recorded }))
  const results = new Map(
    read.flatMap(({ line }) => line.request.tool_results.map((result) => [result.id, result] as const)),
  )
  const agents = new Map<string | null, Agent>()
  for (const { record, line } of read) {
    const agent = agents.get(line.agent_id) ?? {
      agent_id: line.agent_id,
      parent_agent_id: line.parent_agent_id,
      depth: 0,
      turns: [],
    }
    agents.set(line.agent_id, agent)
    addTo(agent, line.turn_key, requestOf(record, line, results))
  }
  return nested(agents)
}

function addTo(agent: Agent, turnKey: string | null, request: TimelineRequest) {
  const ended = isoTime(Date.parse(request.at) + request.total_ms)
  // A retry may come after something else, such as a sub-agent's request.
  const turn = turnKey === null ? undefined : agent.turns.findLast(({ turn_key }) => turn_key === turnKey)
  if (!turn) {
    agent.turns.push({ turn_key: turnKey, started_at: request.at, ended_at: ended, requests: [request] })
    return
  }
  turn.requests.push(request)
  if (ended > turn.ended_at) turn.ended_at = ended
}

function requestOf(
  { id, cost, model, at }: Stored,
  line: Recorded,
  results: Map<string, RequestLine['request']['tool_results'][number]>,
): TimelineRequest {
  const { request, response, tokens, time } = line
  return {
    id,
    at: isoTime(at),
    attempt: line.attempt,
    kind: request.kind,
    stream: request.stream,
    status: response.status,
    ended: response.ended,
    error_type: response.error_type,
    stop_reason: response.stop_reason,
    model,
    ttfb_ms: time.ttfb_ms,
    ttft_ms: time.ttft_ms,
    total_ms: time.total_ms,
    input: tokens.input,
    cache_read: tokens.cache_read,
    cache_write_5m: tokens.cache_write_5m,
    cache_write_1h: tokens.cache_write_1h,
    output: tokens.output,
    reasoning: tokens.reasoning,
    estimated: tokens.estimated,
    cost,
    has_content: line.content !== undefined,
    tools: response.tools_used.map((tool) => {
      const result = results.get(tool.id)
      return {
        id: tool.id,
        name: tool.name,
        bytes: tool.bytes,
        result_bytes: result?.bytes ?? null,
        is_error: result?.is_error ?? null,
      }
    }),
  }
}

/** Depth first. An agent whose parent is not here, or that goes in a circle, hangs below the session itself. */
function nested(agents: Map<string | null, Agent>): Agent[] {
  const ordered: Agent[] = []
  const placed = new Set<Agent>()
  function place(agent: Agent, depth: number) {
    if (placed.has(agent)) return
    placed.add(agent)
    ordered.push({ ...agent, depth })
    for (const child of agents.values()) {
      if (child.agent_id !== null && child.parent_agent_id === agent.agent_id) place(child, depth + 1)
    }
  }
  const root = agents.get(null)
  if (root) place(root, 0)
  for (const agent of agents.values()) if (!agents.has(agent.parent_agent_id)) place(agent, root ? 1 : 0)
  for (const agent of agents.values()) place(agent, root ? 1 : 0)
  return ordered
}
