import {
  bool,
  choice,
  float,
  int,
  names,
  optionalName,
  optionalUrl,
  registries,
  type Setting,
  secretHeaders,
  url,
} from './kinds'

const KIB = 1024
const MIB = 1024 * KIB

/** Every platform setting (specification, part 8): one row a key. */
export const SETTINGS = {
  'tools.result_max_chars': int({
    default: 16_000,
    min: 1_000,
    max: 1_000_000,
    apply: 'next_run',
    description: 'Longer results of tools are cut, with a note of how many characters were left out.',
  }),

  'telemetry.io_capture': choice({
    default: 'full',
    choices: ['off', 'metadata', 'full'],
    environment: { variable: 'SERVICE_IO_CAPTURE', rule: 'cap' },
    apply: 'next_run',
    description: 'The most that is kept of what goes into and comes out of nodes: nothing, sizes, or all.',
  }),
  'telemetry.io_capture_max_bytes': int({
    default: 256 * KIB,
    min: KIB,
    max: 10 * MIB,
    environment: { variable: 'SERVICE_IO_CAPTURE_MAX_BYTES', rule: 'cap' },
    apply: 'next_run',
    description: 'A larger value is kept as a preview and its true size, in bytes.',
  }),
  'telemetry.io_retention_days': int({
    default: 0,
    min: 0,
    max: 3_650,
    description: 'Days after which recorded inputs and outputs are deleted; 0 keeps them.',
  }),
  'telemetry.otlp_enabled': bool({
    default: ({ env }) => env.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    defaultText: 'true when `OTEL_EXPORTER_OTLP_ENDPOINT` is set, else false',
    description: 'Sends spans to an external collector; without an endpoint nothing is sent.',
  }),
  'telemetry.otlp_endpoint': optionalUrl({
    environment: { variable: 'OTEL_EXPORTER_OTLP_ENDPOINT', rule: 'pin' },
    description: 'Address of the collector, OTLP over HTTP.',
  }),
  'telemetry.otlp_headers': secretHeaders({
    description: 'Headers sent to the collector, as an object of name and value, replaced whole. Write-only.',
  }),
  'telemetry.otlp_redact_attrs': names({
    environment: { variable: 'SERVICE_OTEL_REDACT_ATTRS', rule: 'pin' },
    description: 'Span attributes whose values are sent as `[redacted]`.',
  }),

  'rag.chunk_max_tokens': int({
    default: 450,
    min: 50,
    max: 4_000,
    apply: 'next_ingest',
    description: 'Size of a chunk of a document, in tokens.',
  }),
  'rag.chunk_overlap_tokens': int({
    default: 60,
    min: 0,
    max: 1_000,
    apply: 'next_ingest',
    description: 'What a chunk repeats of the one before, in tokens; less than a whole chunk.',
  }),
  'rag.crawl_desired_concurrency': int({
    default: 2,
    min: 1,
    max: 16,
    apply: 'next_ingest',
    description: 'Pages that a crawl fetches at once to begin with.',
  }),
  'rag.crawl_max_concurrency': int({
    default: 4,
    min: 1,
    max: 32,
    apply: 'next_ingest',
    description: 'Pages that a crawl fetches at once at most.',
  }),
  'rag.max_upload_bytes': int({
    default: 50 * MIB,
    min: MIB,
    max: 1024 * MIB,
    description: 'Largest document that may be uploaded, in bytes.',
  }),
  'rag.default_top_k': int({
    default: 5,
    min: 1,
    max: 50,
    description: 'Chunks that a retrieval returns when it does not say how many.',
  }),
  'rag.default_embedding_model': optionalName({
    description: 'Logical id of the model that embeds documents of sources that name none.',
  }),

  'mcp.call_timeout_s': float({
    default: 120,
    min: 1,
    max: 3_600,
    environment: { variable: 'SERVICE_MCP_CALL_TIMEOUT_S', rule: 'pin' },
    description: 'Seconds that a tool call of an MCP server may take.',
  }),
  'mcp.connect_timeout_s': float({
    default: 30,
    min: 1,
    max: 600,
    description: 'Seconds that connecting to an MCP server may take.',
  }),
  'mcp.extra_registries': registries({
    environment: { variable: 'SERVICE_MCP_REGISTRIES', rule: 'pin' },
    description: 'Registries of MCP servers besides the two built in.',
  }),
  'mcp.oauth_redirect_url': url({
    default: ({ baseUrl }) => `${baseUrl}/mcp/oauth/callback`,
    environment: { variable: 'SERVICE_OAUTH_REDIRECT_URL', rule: 'pin' },
    description: 'Where authorization servers of MCP servers send the browser back to.',
  }),

  'auth.session_ttl_hours': int({
    default: 168,
    min: 1,
    max: 8_760,
    apply: 'next_sign_in',
    description: 'Hours that a sign-in lasts; sessions that exist keep theirs.',
  }),
  'auth.oidc_redirect_url': url({
    default: ({ baseUrl }) => `${baseUrl}/auth/oidc/callback`,
    environment: { variable: 'SERVICE_OIDC_REDIRECT_URL', rule: 'pin' },
    description: 'The redirect URL to register with a sign-in provider.',
  }),

  'ai_gateway.request_retention_days': int({
    default: 90,
    min: 0,
    max: 3_650,
    description: 'Days that requests of the AI gateway are kept in detail; 0 keeps all.',
  }),
} as const

export type SettingKey = keyof typeof SETTINGS
/** What `settings.get(key)` returns. */
export type SettingValue<Key extends SettingKey> = (typeof SETTINGS)[Key] extends Setting<infer T> ? T : never

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[]

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(SETTINGS, key)
