/** Epoch milliseconds. */
type Time = number
/** 0 or 1. */
type Flag = number
/** JSON as text: the stores parse and print it. */
type JsonText = string

/** What the control plane knows of AI gateways, column for column. */
export interface GatewayTables {
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
  gateway_day_sums: Pick<GatewayGrouping, 'day' | 'developer_id' | 'project' | 'model' | 'status'> & {
    kind: 'developer' | 'status' | 'work' | 'usage'
  } & Omit<GatewayCounts, 'billable'> & { [Class in `in_${GatewayErrorClass}`]: number } & {
      [Bucket in GatewayBucket]: number
    }
  gateway_session_spans: {
    kind: 'project' | 'model' | 'both' | 'status'
    session_id: string
    developer_id: string
    project: string
    model: string
    status: number
    first_day: Day
    last_day: Day
  }
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
export type GatewayErrorClass = 'auth' | 'rate_limit' | 'client' | 'overloaded' | 'server'
/** Counts of requests by latency: to the first token, and in all. */
export type GatewayBucket = `${'ttft' | 'total'}_${BucketNumber}`
