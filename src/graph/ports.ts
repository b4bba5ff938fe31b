import type { Patience } from './attempts'
import type { DurablePort } from './durable'
import type { Journal } from './journal'

/**
 * What the nodes of a graph may ask of the world. The interpreter knows nothing else: no HTTP, no database, no clock.
 * A port that fails throws an error whose message is for the people who run the graph; it may hold no secret.
 */
export interface Ports {
  models: ModelPort
  tools: ToolPort
  retrieval: RetrievalPort
  artifacts: ArtifactPort
  counters: CounterPort
  clock: Clock
  journal: Journal
  /** How an effect is tried whose node does not say. */
  patience?: Patience
  /** Only of runs that outlive the process. */
  durable?: DurablePort
  /** Settings as they were when the run began. */
  settings: { toolResultMaxChars: number }
}

/** Comes with every call that leaves the process. */
export interface Call {
  runId: string
  /** Its place in the execution, such as `n_llm/tool@2`: with the run's id it names this call for good. */
  place: string
  /** Of durable runs: names this call for good, so that who is called can tell a repetition after a crash. */
  idempotencyKey?: string
  signal: AbortSignal
}

export interface ModelPort {
  /**
   * A streamed chat, usage included. Resolves once the model's side has accepted, and yields what came as it came.
   * @throws {AppError} what it was refused with
   */
  chat(request: ChatRequest, call: Call): Promise<AsyncIterable<ChatChunk[]>>
  transcribe(request: { model: string; audio: Blob; params: Params }, call: Call): Promise<string>
  speak(request: { model: string; input: string; params: Params }, call: Call): Promise<Blob>
  draw(request: { model: string; prompt: string; params: Params }, call: Call): Promise<Blob>
}

/** Generation parameters as the providers spell them, in snake_case. */
export type Params = Record<string, unknown>

export interface ChatRequest {
  /** Logical id. */
  model: string
  messages: unknown[]
  [param: string]: unknown
}

/** The parts of a streamed chunk that are read. A provider may send anything: each is checked where it is used. */
export interface ChatChunk {
  choices?: {
    index?: number
    delta?: ChatDelta | null
    /** Instead of `delta`, in an answer that is not streamed. */
    message?: ChatDelta
    finish_reason?: string | null
  }[]
  /** Of our own plane, not of the provider: how long this answer waited for its model to be loaded. */
  load_ms?: unknown
  usage?: { prompt_tokens?: number; completion_tokens?: number; total_tokens?: number } | null
  error?: { message?: unknown; code?: unknown } | string
}

export interface ChatDelta {
  content?: unknown
  reasoning_content?: unknown
  reasoning?: unknown
  tool_calls?: unknown
}

export interface ToolPort {
  /** The built-in `http_fetch`: a GET that follows redirects. */
  fetch(request: { url: string; timeoutSeconds: number }, call: Call): Promise<HttpAnswer>
  /** A request with the base URL and the credentials of a connection; redirects are not followed. */
  http(request: HttpRequest, call: Call): Promise<HttpAnswer>
  /** The one value of a tool's result. @throws what the tool reported as an error */
  mcp(request: McpTarget & { args: Record<string, unknown> }, call: Call): Promise<unknown>
  /** What a model is told of an MCP tool; nothing where that cannot be found out now. */
  describeMcp(target: McpTarget, call: Call): Promise<ToolDescription | undefined>
}

export interface HttpRequest {
  connection: string
  method: string
  /** Absolute, or what to put behind the base URL of the connection. */
  url: string
  /** They win over those of the connection, and lose to its credentials. */
  headers: Record<string, string>
  idempotencyKey: string | null
  /** JSON; nothing is sent for undefined. */
  body: unknown
  timeoutSeconds: number
}

/** Any status is an answer. `body` is the text as it came, as much of it as the port is ready to hold. */
export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** One of `server` and `connection` is set. */
export interface McpTarget {
  server: string | null
  connection: string | null
  tool: string
}

export interface ToolDescription {
  description: string
  /** JSON Schema. */
  parameters: Record<string, unknown>
}

export interface RetrievalPort {
  /** What a `rag` node gives on: the matches as the query endpoint of the source lists them. */
  find(request: RetrievalRequest, call: Call): Promise<unknown>
}

interface RetrievalRequest {
  source: string
  query: string
  /** Nothing where the author left it to the platform. */
  topK: number | undefined
  minSimilarity: number | null
}

export interface ArtifactPort {
  /** The bytes behind an `art_` id or an http(s) URL. */
  read(reference: string, call: Call): Promise<Blob>
  /** Keeps the bytes with their content type. */
  keep(blob: Blob, call: Call): Promise<ArtifactRef>
}

export interface ArtifactRef {
  ref: string
  contentType: string
  bytes: number
}

export interface CounterPort {
  /** Counts one more under `key` in this window, and says how many there are now. */
  hit(request: { key: string; window: number; windowSeconds: number }): Promise<number>
  /** Total tokens on the spans of this agent's runs since then (epoch milliseconds). */
  usedTokens(request: { agentId: string; since: number }): Promise<number>
}

export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Milliseconds since any fixed moment, finer than those of `now`, and never backwards. */
  elapsed(): number
  /** Rejects with the signal's reason when that fires first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}
