import { texts as reports } from '../texts/gateway-reports'
import type { Timeline } from './data'

const texts = reports.timeline

export type Agent = Timeline['agents'][number]
type Turn = Agent['turns'][number]
export type Request = Turn['requests'][number]

/** A stretch of the time axis; from 0 to 1 of its width. */
interface Bar {
  kind: 'request' | 'retry' | 'tool'
  from: number
  to: number
}

export interface Part {
  input: number
  cacheRead: number
  cacheWrite: number
}

export interface TurnRow {
  key: string
  /** Counted from 1 in each agent. */
  number: number
  turn: Turn
  bars: Bar[]
  tools: Request['tools']
  retries: number
  failed: boolean
  /** From the first byte sent to the last one back. */
  ms: number
  /** How long the tools that it called took: until the agent's next turn began; null while that is not known. */
  toolMs: number | null
  tokens: Part & { output: number }
  /** Null where no request of it has a price. */
  cost: number | null
  /** Requests that used tokens of a model without a price. */
  unpriced: number
}

export interface AgentRows {
  agent: Agent
  /** `main`, or what its id begins with. */
  name: string
  turns: TurnRow[]
}

/** A pause that is drawn shorter than it was. */
interface Pause {
  /** From 0 to 1 of the axis. */
  at: number
  ms: number
}

export interface Layout {
  agents: AgentRows[]
  pauses: Pause[]
  /** Of all stretches in which something was under way. */
  busyMs: number
}

/** What people take between two questions would leave nothing to see of the answers. */
const LONGEST_PAUSE_MS = 20_000
/** What a folded pause takes of the axis, in the milliseconds of the rest. */
const FOLDED_MS = 2_000
const NAME_CHARACTERS = 8

interface Stretch {
  from: number
  to: number
}

/** Turns of all agents of a session over one time axis, in which long pauses are folded. */
export function layOut(agents: readonly Agent[]): Layout {
  const work = agents.flatMap(({ turns }) => turns.flatMap((turn, at) => stretchesOf(turn, turns[at + 1])))
  const scale = scaleOf(busyStretches(work))
  return {
    agents: agents.map((agent) => ({
      agent,
      name: nameOf(agent),
      turns: agent.turns.map((turn, at) => rowOf(agent, turn, at, scale.place)),
    })),
    pauses: scale.pauses,
    busyMs: scale.busyMs,
  }
}

const nameOf = ({ agent_id }: Agent): string =>
  agent_id === null ? texts.mainAgent : texts.subAgent(agent_id.slice(0, NAME_CHARACTERS))

const startOf = (request: Request): number => Date.parse(request.at)
const endOf = (request: Request): number => startOf(request) + request.total_ms

/** The requests of a turn, and its tools, which run from its end to the agent's next turn. */
function stretchesOf(turn: Turn, next: Turn | undefined): Stretch[] {
  const requests = turn.requests.map((request) => ({ from: startOf(request), to: endOf(request) }))
  const tools = toolStretch(turn, next)
  return tools ? [...requests, tools] : requests
}

function toolStretch(turn: Turn, next: Turn | undefined): Stretch | null {
  const called = turn.requests.some(({ tools }) => tools.some(({ result_bytes }) => result_bytes !== null))
  if (!called || !next) return null
  const from = Math.max(...turn.requests.map(endOf))
  const to = Date.parse(next.started_at)
  return to > from ? { from, to } : null
}

function busyStretches(work: Stretch[]): Stretch[] {
  const merged: Stretch[] = []
  for (const { from, to } of work.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last && from - last.to <= LONGEST_PAUSE_MS) last.to = Math.max(last.to, to)
    else merged.push({ from, to })
  }
  return merged
}

function scaleOf(busy: Stretch[]) {
  const busyMs = busy.reduce((sum, { from, to }) => sum + to - from, 0)
  const width = Math.max(1, busyMs + FOLDED_MS * Math.max(0, busy.length - 1))
  let drawn = 0
  const placed = busy.map((stretch, at) => {
    const start = drawn
    drawn += stretch.to - stretch.from + FOLDED_MS
    const before = busy[at - 1]
    return { ...stretch, start, pauseMs: before ? stretch.from - before.to : 0 }
  })
  return {
    busyMs,
    pauses: placed
      .filter(({ pauseMs }) => pauseMs > 0)
      .map(({ start, pauseMs }) => ({ at: (start - FOLDED_MS / 2) / width, ms: pauseMs })),
    /** Every time asked for lies in one of the stretches. */
    place(ms: number): number {
      const stretch = placed.findLast(({ from }) => from <= ms) ?? placed[0]
      if (!stretch) return 0
      return Math.min(
        1,
        (stretch.start + Math.min(Math.max(0, ms - stretch.from), stretch.to - stretch.from)) / width,
      )
    },
  }
}

function rowOf(agent: Agent, turn: Turn, at: number, place: (ms: number) => number): TurnRow {
  const { requests } = turn
  const last = requests.at(-1)!
  const tools = toolStretch(turn, agent.turns[at + 1])
  const bars: Bar[] = requests.map((request) => ({
    kind: request === last ? 'request' : 'retry',
    from: place(startOf(request)),
    to: place(endOf(request)),
  }))
  if (tools) bars.push({ kind: 'tool', from: place(tools.from), to: place(tools.to) })
  const sum = (of: (request: Request) => number) => requests.reduce((total, one) => total + of(one), 0)
  const priced = requests.filter(({ cost }) => cost !== null)
  return {
    key: `${agent.agent_id ?? ''}/${turn.turn_key ?? ''}/${turn.started_at}/${at}`,
    number: at + 1,
    turn,
    bars,
    tools: requests.flatMap((request) => request.tools),
    retries: requests.length - 1,
    failed: isFailure(last),
    ms: Date.parse(turn.ended_at) - Date.parse(turn.started_at),
    toolMs: tools && tools.to - tools.from,
    tokens: {
      input: sum(({ input }) => input),
      cacheRead: sum(({ cache_read }) => cache_read),
      cacheWrite: sum((one) => one.cache_write_5m + one.cache_write_1h),
      output: sum(({ output }) => output),
    },
    cost: priced.length === 0 ? null : priced.reduce((total, { cost }) => total + (cost ?? 0), 0),
    unpriced: requests.filter(usedUnpriced).length,
  }
}

export const isFailure = ({ status, ended }: Request): boolean =>
  status === 0 || status >= 400 || ended === 'upstream_error' || ended === 'stream_error'

const usedUnpriced = (one: Request): boolean =>
  one.cost === null && one.input + one.cache_read + one.cache_write_5m + one.cache_write_1h + one.output > 0

/** The pages of a long session as one: an agent, or a turn, may go on where the page before ended. */
export function joined(pages: readonly (readonly Agent[])[]): Agent[] {
  const agents: Agent[] = []
  for (const agent of pages.flat()) {
    const known = agents.find(({ agent_id }) => agent_id === agent.agent_id)
    if (!known) agents.push({ ...agent, turns: [...agent.turns] })
    else for (const turn of agent.turns) addTurn(known, turn)
  }
  return agents
}

function addTurn(agent: Agent, turn: Turn) {
  const at =
    turn.turn_key === null ? -1 : agent.turns.findLastIndex(({ turn_key }) => turn_key === turn.turn_key)
  const known = agent.turns[at]
  if (!known) agent.turns.push(turn)
  else
    agent.turns[at] = {
      ...known,
      ended_at: [known.ended_at, turn.ended_at].toSorted().at(-1)!,
      requests: [...known.requests, ...turn.requests],
    }
}
