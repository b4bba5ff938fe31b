import type { Generated, Kysely } from 'kysely'
import type { Role } from '../http/plane'
import type { GatewayTables } from './gateway-tables'

/** Epoch milliseconds. */
type Time = number
/** 0 or 1. */
type Flag = number
/** JSON as text: the stores parse and print it. */
type JsonText = string

/** The schema, column for column. Column, row field and wire field are the same word wherever a row goes out. */
export interface Tables extends GatewayTables {
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
}

type RunStatus = 'created' | 'streaming' | 'waiting' | 'completed' | 'failed'
type SpanStatus = 'running' | 'ok' | 'err' | 'skipped'
export type CaptureLevel = 'off' | 'metadata' | 'full'

/** A database or an open transaction: stores do not care which. */
export type Db = Kysely<Tables>
