import type { Kind, Provider } from '../target'

/** What the control plane tells a gateway to record; kept on disk, so that a restart knows it without asking. */
export interface GatewayConfig {
  config_version: number
  observer: boolean
  record_level: 'off' | 'metadata' | 'full'
  redact_rules: { keys?: string[]; patterns?: string[] } | null
  project_attribution: 'off' | 'basename' | 'path'
  /** Of `content` as JSON; what is over it is cut. */
  max_content_bytes: number
}

export type Ended = 'complete' | 'client_abort' | 'upstream_error' | 'stream_error'

export interface ToolUse {
  id: string
  name: string
  /** Of the arguments, as JSON. */
  bytes: number
}

export interface ToolResult {
  id: string
  /** Of the tool that was called, where the request still holds the call. */
  name: string | null
  bytes: number
  is_error: boolean
}

export interface Project {
  name: string
  /** Of the working tree's remote, without credentials: `github.com/acme/shop`. */
  remote?: string
  source: 'header' | 'remote' | 'cwd'
}

export interface Tokens {
  /** Without what the cache served. */
  input: number
  cache_read: number
  cache_write_5m: number
  cache_write_1h: number
  output: number
  reasoning: number
  /** An abort hid the final usage: bytes / 4. */
  estimated: boolean
  /** As the provider said it. */
  usage_raw: unknown
}

export interface Content {
  /** The messages that came since the session's request before. */
  request_tail: unknown
  response: unknown
  truncated: boolean
  redactions: number
}

/** One request as one line of the queue (design C5), without what the queue adds: `gateway_id`, `epoch`, `seq`. */
export interface RequestRecord {
  v: 1
  type: 'request'
  id: string
  config_version: number
  developer_id: string | null
  key_id: string | null
  billing: 'own' | 'organization'
  device: string | null
  client: 'claude-code' | 'codex' | 'other'
  client_version: string | null
  entrypoint: string | null
  session_id: string | null
  session_source: 'header' | 'body' | 'none'
  agent_id: string | null
  parent_agent_id: string | null
  turn_key: string | null
  attempt: number
  project: Project | null
  request: {
    protocol: Provider
    kind: Kind
    path: string
    model_requested: string | null
    stream: boolean
    messages: number
    tools_offered: number
    tool_results: ToolResult[]
    effort: string | null
    req_bytes: number
  }
  response: {
    status: number
    model: string | null
    upstream_request_id: string | null
    stop_reason: string | null
    tools_used: ToolUse[]
    res_bytes: number
    chunks: number
    ended: Ended
    error_type: string | null
    parse_error?: true
  }
  tokens: Tokens
  time: {
    /** Epoch milliseconds, UTC. */
    at: number
    /** Always null, as long as the runtime's HTTP client keeps it to itself; it is part of `ttfb_ms`. */
    connect_ms: null
    ttfb_ms: number | null
    ttft_ms: number | null
    total_ms: number
  }
  content?: Content
}

/** A hole in the records: so many were not written between two times (epoch milliseconds). */
export interface GapRecord {
  v: 1
  type: 'gap'
  id: string
  from: number
  to: number
  dropped: number
}

const MAX_TEXT = 200

/** Text of a client or a provider that stands in a record: never long. */
export const short = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value.slice(0, MAX_TEXT) : null
