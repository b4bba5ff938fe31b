/** What people call a setting; its key stands below. */
const LABELS: Record<string, string> = {
  'tools.result_max_chars': 'Longest tool result',
  'telemetry.io_capture': 'Capture level',
  'telemetry.io_capture_max_bytes': 'Largest kept value',
  'telemetry.io_retention_days': 'Keep inputs and outputs for',
  'telemetry.otlp_enabled': 'Export spans',
  'telemetry.otlp_endpoint': 'Collector address',
  'telemetry.otlp_headers': 'Collector headers',
  'telemetry.otlp_redact_attrs': 'Redacted attributes',
  'rag.chunk_max_tokens': 'Chunk size',
  'rag.chunk_overlap_tokens': 'Chunk overlap',
  'rag.crawl_desired_concurrency': 'Pages at once, to begin with',
  'rag.crawl_max_concurrency': 'Pages at once, at most',
  'rag.max_upload_bytes': 'Largest document',
  'rag.default_top_k': 'Chunks per retrieval',
  'rag.default_embedding_model': 'Embedding model',
  'mcp.call_timeout_s': 'Time for a tool call',
  'mcp.connect_timeout_s': 'Time for connecting',
  'mcp.extra_registries': 'More registries',
  'mcp.oauth_redirect_url': 'OAuth redirect URL',
  'auth.session_ttl_hours': 'A sign-in lasts',
  'auth.oidc_redirect_url': 'Single sign-on redirect URL',
  'ai_gateway.request_retention_days': 'Keep gateway requests for',
  durable: 'Durable mode',
  topology: 'Topology',
  inference_plane_url: 'Inference plane',
  cors_origins: 'Allowed pages',
  artifact_dir: 'Artifact folder',
  invoke_token_set: 'Invoke token',
  secret_key_ephemeral: 'Secret key',
  database: 'Database',
}

export function labelOf(key: string): string {
  if (LABELS[key]) return LABELS[key]
  const words = key.slice(key.indexOf('.') + 1).replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** From when on a change counts, where that is not at once. */
export const APPLIES: Record<string, string | undefined> = {
  next_run: 'Counts from the next run.',
  next_sign_in: 'Counts from the next sign-in.',
  next_ingest: 'Counts from the next ingest.',
}

const UNITS: [RegExp, string][] = [
  [/_days$/, 'days'],
  [/_hours$/, 'hours'],
  [/_tokens$/, 'tokens'],
  [/_s$/, 'seconds'],
  [/_bytes$/, 'bytes'],
  [/_chars$/, 'characters'],
]

export const unitOf = (key: string): string | null => UNITS.find(([end]) => end.test(key))?.[1] ?? null

const number = new Intl.NumberFormat('en')
const KIB = 1024

/** A value in the words of its unit: `262144` bytes is 256 KiB. */
export function amount(value: number, key: string): string {
  const unit = unitOf(key)
  if (unit !== 'bytes' || value < KIB) return [number.format(value), unit].filter(Boolean).join(' ')
  const [name, size] =
    value >= KIB ** 3 ? ['GiB', KIB ** 3] : value >= KIB ** 2 ? ['MiB', KIB ** 2] : ['KiB', KIB]
  return `${number.format(Math.round((value / (size as number)) * 100) / 100)} ${name}`
}

/** `From 1 KiB to 10 MiB`; a unit that both share is said once. */
export function rangeText(min: number, max: number, key: string): string {
  return `from ${unitOf(key) === 'bytes' ? amount(min, key) : number.format(min)} to ${amount(max, key)}`
}
