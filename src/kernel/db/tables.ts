import type { Generated, Kysely } from 'kysely'
import type { Role } from '../http/plane'

/** Epoch milliseconds. */
type Time = number
/** 0 or 1. */
type Flag = number
/** JSON as text: the stores parse and print it. */
type JsonText = string

/** The schema, column for column. Column, row field and wire field are the same word wherever a row goes out. */
export interface Tables {
  users: {
    id: string
    username: string
    display_name: string
    email: string | null
    role: Role
    disabled: Flag
    password_hash: string | null
    theme: string
    avatar_url: string | null
    created_at: Time
    updated_at: Time
    last_login_at: Time | null
  }
  auth_sessions: { id: string; user_id: string; token_hash: string; created_at: Time; expires_at: Time }
  api_keys: {
    id: string
    user_id: string
    name: string
    role: Role
    token_hash: string
    token_prefix: string
    created_at: Time
    last_used_at: Time | null
    revoked_at: Time | null
  }
  settings: { key: string; value: JsonText | null; sealed: Uint8Array | null; updated_at: Time }
  sessions: {
    id: string
    user_id: string | null
    metadata: JsonText | null
    created_at: Time
    updated_at: Time
  }
  messages: {
    id: string
    session_id: string
    run_id: string | null
    role: 'user' | 'assistant'
    content: string
    position: number
    created_at: Time
  }
  runs: {
    id: string
    session_id: string | null
    status: RunStatus
    model: string
    params: JsonText | null
    graph_id: string | null
    graph_version: string | null
    content_hash: string | null
    /** The graph was sent along with the run; it is not the agent's that is published under its id. */
    graph_inline: Generated<Flag>
    trigger_id: string | null
    user_id: string | null
    output: string | null
    awaiting_node: string | null
    error: string | null
    /** Machine-readable reason of an empty output, beside the note in `error`. */
    note_code: string | null
    /** The run that this one does again. */
    parent_run_id: string | null
    runtime: 'inproc' | 'durable'
    capture_level: CaptureLevel
    instance_id: string | null
    created_at: Time
    updated_at: Time
    completed_at: Time | null
  }
  spans: {
    id: string
    run_id: string
    trace_id: string
    span_id: string
    parent_span_id: string | null
    node_id: string | null
    node_type: string | null
    kind: string | null
    name: string
    phase: string | null
    branch_index: number | null
    status: SpanStatus
    /** Epoch nanoseconds exceed what a double holds: written as bigint, read as text (`cast(… as text)`). */
    start_ns: bigint
    end_ns: bigint | null
    attributes: JsonText
    error: string | null
    executor_id: string
    worker_host: string
    seq: number
    bytes_in: number | null
    bytes_out: number | null
    /** The graph's id, whether published or not. */
    agent_id: string | null
    total_tokens: number | null
    created_at: Time
  }
  node_io: {
    id: string
    run_id: string
    node_id: string
    /** Whose retention counts for it. */
    agent_id: string | null
    span_id: string | null
    inputs: JsonText | null
    outputs: JsonText | null
    bytes_in: number | null
    bytes_out: number | null
    truncated: Flag
    capture_level: CaptureLevel
    created_at: Time
  }
  durable_runs: {
    run_id: string
    state: 'queued' | 'running' | 'waiting'
    epoch: number
    executor: string | null
    lease: string | null
    wake_at: Time | null
    enqueued_at: Time | null
    interp_version: number
    start: JsonText | null
    start_ref: string | null
  }
  checkpoint_files: {
    ref: string
    run_id: string
    created_at: Time
  }
  run_steps: {
    run_id: string
    key: string
    output: JsonText | null
    output_ref: string | null
    created_at: Time
  }
  run_gates: {
    run_id: string
    key: string
    place: string
    prompt: string | null
    input_schema: JsonText | null
    input: JsonText | null
    deadline: Time | null
    opened_at: Time
    outcome: JsonText | null
    outcome_ref: string | null
  }
  run_graphs: { content_hash: string; ir: JsonText; created_at: Time }
  rate_windows: { key: string; window_id: number; hits: number; expires_at: Time }
  instances: { id: string; started_at: Time; seen_at: Time }
  agents: { id: string; name: string | null; created_at: Time; updated_at: Time }
  agent_versions: {
    agent_id: string
    version: string
    seq: number
    content_hash: string
    name: string
    ir: JsonText
    view: JsonText | null
    created_at: Time
  }
  io_policies: {
    agent_id: string
    io_capture: CaptureLevel
    io_retention_seconds: number | null
    redact_rules: JsonText | null
    updated_at: Time
  }
  drafts: {
    id: string
    agent_id: string | null
    owner_id: string | null
    name: string | null
    node_count: number
    ir: JsonText
    view: JsonText | null
    created_at: Time
    updated_at: Time
  }
  triggers: {
    id: string
    agent_id: string
    /** Either this or the hash. */
    version: string | null
    content_hash: string | null
    kind: 'schedule' | 'webhook'
    /** Without the secret. */
    config: JsonText
    secret: Uint8Array | null
    enabled: Flag
    last_fired_at: Time | null
    /** Of an enabled schedule: the first instant that is not fired yet. */
    next_fire_at: Time | null
    missed_fires: number
    /** Why the last fire made no run. */
    last_error: string | null
    created_at: Time
    updated_at: Time
  }
  trigger_fires: { trigger_id: string; slot_utc: Time }
  gateways: {
    id: string
    name: string
    enabled: Flag
    token_hash: string
    token_prefix: string
    local_id: string | null
    config_version: number
    config: JsonText | null
    last_heartbeat_at: Time | null
    heartbeat: JsonText | null
    created_at: Time
    updated_at: Time
  }
  gateway_keys: {
    id: string
    user_id: string
    name: string
    billing: Billing
    enabled: Flag
    token_hash: string
    token_prefix: string
    created_at: Time
    updated_at: Time
    last_used_at: Time | null
  }
  gateway_tickets: { token_hash: string; gateway_id: string; user_id: string; expires_at: Time }
  gateway_watermarks: { gateway_id: string; epoch: string; seq: number; updated_at: Time }
  gateway_refusals: { gateway_id: string; minute: Time; code: string; count: number }
  gateway_gaps: {
    id: string
    gateway_id: string
    day: Day
    from_at: Time
    to_at: Time
    dropped: number
  }
  gateway_records: {
    id: string
    type: 'request' | 'gap'
    gateway_id: string
    epoch: string
    seq: number
    day: Day
    at: Time
    session_id: string | null
    /** Empty where nobody is known. */
    developer_id: string
    model: string
    input: number
    cache_read: number
    cache_write_5m: number
    cache_write_1h: number
    output: number
    /** Dollars; null where no price is known. */
    cost: number | null
    price_version: number
    archive_part: number | null
    line: JsonText
  }
  gateway_daily: GatewayGrouping & GatewayCounts & { [Bucket in GatewayBucket]: number }
  gateway_session_days: GatewayGrouping & { session_id: string } & Pick<
      GatewayCounts,
      | 'billable'
      | 'unpriced'
      | 'input'
      | 'cache_read'
      | 'cache_write_5m'
      | 'cache_write_1h'
      | 'output'
      | 'cost'
    >
  gateway_sessions: {
    id: string
    developer_id: string
    gateway_id: string
    project: string
    client: string
    model: string
    started_at: Time
    last_at: Time
    requests: number
    turns: number
    errors: number
    retries: number
    aborts: number
    tools: number
    agents: number
    input: number
    cache_read: number
    cache_write: number
    output: number
    unpriced: number
    cost: number
  }
  gateway_tool_days: {
    day: Day
    gateway_id: string
    developer_id: string
    project: string
    client: string
    tool: string
    calls: number
    errors: number
    result_bytes: number
  }
  gateway_prices: {
    version: number
    model: string
    input: number
    cache_read: number
    cache_write_5m: number
    cache_write_1h: number
    output: number
    created_at: Time
  }
  gateway_archives: {
    day: Day
    part: number
    state: 'making' | 'complete'
    claimed_at: Time
    codec: string
    rows: number
    requests: number
    bytes: number
    sha256: string
    blob: Uint8Array
  }
}

/** `YYYY-MM-DD`, UTC. */
type Day = string
type Billing = 'own' | 'organization'

interface GatewayGrouping {
  day: Day
  gateway_id: string
  developer_id: string
  project: string
  model: string
  client: string
  billing: string
  status: number
}

interface GatewayCounts {
  requests: number
  turns: number
  errors: number
  stream_errors: number
  retries: number
  aborts: number
  billable: number
  unpriced: number
  input: number
  cache_read: number
  cache_write_5m: number
  cache_write_1h: number
  output: number
  reasoning: number
  cost: number
}

type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'
type BucketNumber = `0${Digit}` | `1${Digit}` | '20' | '21' | '22' | '23'
/** Counts of requests by latency: to the first token, and in all. */
export type GatewayBucket = `${'ttft' | 'total'}_${BucketNumber}`

type RunStatus = 'created' | 'streaming' | 'waiting' | 'completed' | 'failed'
type SpanStatus = 'running' | 'ok' | 'err' | 'skipped'
export type CaptureLevel = 'off' | 'metadata' | 'full'

/** A database or an open transaction: stores do not care which. */
export type Db = Kysely<Tables>
