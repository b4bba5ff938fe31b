import type { RunEvent } from '#graph/events'
import { passingJournal } from '#graph/journal'
import type { ChatChunk, ChatRequest, Clock, HttpRequest, Ports } from '#graph/ports'
import { runGraph } from '#graph/run'
import { AppError } from '#kernel/errors'
import { type AuthoredEdge, type AuthoredNode, document, parsed } from './support'

// A world at the border of the graph: each port says what the test scripts, and remembers what it was asked.

/** What a model answers one request with: text, pieces of a stream, or a failure. */
export type Answer = string | ChatChunk[] | Error | Promise<never>

interface World {
  /** Answers in turn; the last one is repeated. */
  answers?: Answer[]
  /** By the request, where the order of requests is not known. */
  answer?: (request: ChatRequest) => Answer
  tools?: Partial<Ports['tools']>
  models?: Partial<Ports['models']>
  retrieval?: Ports['retrieval']
  artifacts?: Partial<Ports['artifacts']>
  counters?: Partial<Ports['counters']>
  clock?: Clock
  journal?: Ports['journal']
  toolResultMaxChars?: number
  /** Before every answer of a port. */
  latency?: () => Promise<void>
}

interface Asked {
  chat: ChatRequest[]
  http: HttpRequest[]
  /** Places of all calls, in the order in which they were made. */
  places: string[]
}

const unscripted = (what: string) => () => Promise.reject(new Error(`no ${what} here`))

function world({ latency = async () => {}, ...given }: World = {}) {
  const asked: Asked = { chat: [], http: [], places: [] }
  const answers = [...(given.answers ?? ['hello'])]
  const ports: Ports = {
    models: {
      async chat(request, { place, signal }) {
        asked.chat.push(request)
        asked.places.push(place)
        await latency()
        const answer = given.answer?.(request) ?? (answers.length > 1 ? answers.shift()! : answers[0]!)
        if (answer instanceof Error) throw answer
        if (answer instanceof Promise) return answer
        signal.throwIfAborted()
        return stream(typeof answer === 'string' ? said(answer) : answer, latency)
      },
      transcribe: unscripted('transcription'),
      speak: unscripted('speech'),
      draw: unscripted('image'),
      ...given.models,
    },
    tools: {
      fetch: unscripted('fetch'),
      http: unscripted('http'),
      mcp: unscripted('mcp'),
      describeMcp: async () => undefined,
      ...given.tools,
    },
    retrieval: given.retrieval ?? { find: unscripted('retrieval') },
    artifacts: { read: unscripted('artifact'), keep: unscripted('artifact'), ...given.artifacts },
    counters: { hit: unscripted('counter'), usedTokens: unscripted('counter'), ...given.counters },
    clock: given.clock ?? handClock(),
    journal: given.journal ?? passingJournal(),
    settings: { toolResultMaxChars: given.toolResultMaxChars ?? 16_000 },
  }
  return { ports, asked }
}

async function* stream(chunks: ChatChunk[], latency: () => Promise<void>) {
  for (const chunk of chunks) {
    await latency()
    yield [chunk]
  }
}

export const delta = (fields: Record<string, unknown>, finish_reason: string | null = null): ChatChunk => ({
  choices: [{ index: 0, delta: fields, finish_reason }],
})

/** A whole answer in one piece, with its usage. */
export const said = (content: string, reason = 'stop'): ChatChunk[] => [
  delta({ content }),
  delta({}, reason),
  { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } },
]

/** What a model sends when it wants tools called: `['name', arguments]` each. */
export const wants = (...calls: [string, unknown][]): ChatChunk[] => [
  delta({
    tool_calls: calls.map(([name, args], index) => ({
      index,
      id: `call_${name}_${index}`,
      type: 'function',
      function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
    })),
  }),
  delta({}, 'tool_calls'),
]

/** A clock that stands still until it is moved. */
export function handClock(start = 1_000_000) {
  let time = start
  let sleepers: { until: number; wake: () => void }[] = []
  const slept: number[] = []
  return {
    /** What was waited for, in milliseconds. */
    slept,
    now: () => time,
    elapsed: () => time,
    sleep(ms: number, signal: AbortSignal): Promise<void> {
      slept.push(ms)
      return new Promise((resolve, reject) => {
        sleepers.push({ until: time + ms, wake: resolve })
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
    },
    advance(ms: number) {
      time += ms
      const due = sleepers.filter(({ until }) => until <= time)
      sleepers = sleepers.filter(({ until }) => until > time)
      for (const { wake } of due) wake()
    },
  }
}

/** Sleeps no time at all. */
export const hastyClock = () => {
  const clock = handClock()
  return {
    ...clock,
    async sleep(ms: number) {
      clock.slept.push(ms)
    },
  }
}

type Span = Extract<RunEvent, { type: 'span.open' }> & { close?: Extract<RunEvent, { type: 'span.close' }> }

interface Play extends World {
  input?: unknown
  history?: { role: string; content: string }[]
  rest?: Record<string, unknown>
  signal?: AbortSignal
  emit?: (event: RunEvent) => void
}

export type Played = Awaited<ReturnType<typeof play>>

/** Runs a graph of these nodes and edges, and shows all that came of it. */
export async function play(
  nodes: AuthoredNode[],
  edges: AuthoredEdge[],
  { input = null, history = [], rest = {}, signal, emit, ...scripted }: Play = {},
) {
  const { ports, asked } = world(scripted)
  const events: RunEvent[] = []
  const graph = parsed(document(nodes, edges, rest))
  const outcome = await runGraph(
    graph,
    { runId: 'run1', input, history },
    ports,
    (event) => {
      events.push(event)
      emit?.(event)
    },
    signal ?? new AbortController().signal,
  ).then(
    (result) => ({ result, error: undefined }),
    (error: unknown) => ({ result: undefined, error: error as AppError }),
  )
  return { ...outcome, events, asked, ...told(events) }
}

function told(events: RunEvent[]) {
  const spans = new Map<string, Span>()
  const io = new Map<string, { inputs: Record<string, unknown>; outputs: Record<string, unknown> }>()
  for (const event of events) {
    if (event.type === 'span.open') spans.set(keyOf(event.span), event)
    if (event.type === 'span.close') spans.get(keyOf(event.span))!.close = event
    if (event.type === 'node.io') io.set(event.node, event)
  }
  const ordered = [...spans.values()].sort((a, b) => a.order! - b.order!)
  return {
    io,
    /** In the order of the trace: `node`, or `node/phase`, and the status. */
    spans: ordered.map((span) => `${keyOf(span.span)} ${span.close?.status}`),
    span: (key: string) => spans.get(key)!,
    text: events.flatMap((event) => (event.type === 'delta' ? [event.text] : [])).join(''),
    reasoning: events.flatMap((event) => (event.type === 'reasoning' ? [event.text] : [])).join(''),
  }
}

const keyOf = ({ node, phase }: { node: string; phase?: string }) => (phase ? `${node}/${phase}` : node)

/** The code and message of a run that failed. */
export const failure = ({ error }: Played) => {
  if (!(error instanceof AppError)) throw new Error(`did not fail as it should: ${error}`)
  return { code: error.code, status: error.status, message: error.message }
}

/** Turns of the event loop, so that what is due has happened. */
export const settle = async (turns = 20) => {
  for (let turn = 0; turn < turns; turn++) await Promise.resolve()
}
