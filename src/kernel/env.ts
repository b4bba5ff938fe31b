import { homedir, hostname } from 'node:os'
import { join } from 'node:path'
import {
  amount,
  catalog,
  choice,
  decimal,
  flag,
  integer,
  keys,
  list,
  origins,
  port,
  registries,
  text,
  url,
  type Variable,
} from './variables'

/**
 * Every environment variable the product reads, once: type, default and meaning. `--help`, `docs/environment.md`
 * and the typed `Env` all come from this table, and nothing else reads the process environment.
 */
export const VARIABLES = {
  SERVICE_DATA_DIR: text(
    "The data folder of the user's system, with `/tycho` below it",
    'Database, state, models, artifacts of a desktop launch; made with mode 0700.',
  ),
  SERVICE_HOST: text(
    '127.0.0.1',
    'Bind address of the control plane, the inference plane and the interface.',
    '127.0.0.1',
  ),
  SERVICE_CONTROL_PLANE_PORT: port(8080, 'Port of the control plane; 0 lets the system choose.'),
  SERVICE_INFERENCE_PLANE_PORT: port(8081, 'Port of the inference plane; 0 lets the system choose.'),
  SERVICE_GATEWAY_PORT: port(8082, 'Port of the AI gateway; 0 lets the system choose.'),
  SERVICE_INTERFACE_PORT: port(5174, 'Port of the browser interface; 0 lets the system choose.'),
  SERVICE_GATEWAY_HOST: text(
    '127.0.0.1',
    'Bind address of the AI gateway; beyond loopback in team mode only.',
    '127.0.0.1',
  ),
  SERVICE_GATEWAY_AUTH_MODE: choice(
    ['personal', 'team'],
    'personal',
    'Who may use the AI gateway: whoever sits at this machine, or developers with gateway keys.',
  ),
  SERVICE_GATEWAY_SERVICE_KEY: text(
    "unset; a gateway in the control plane's process makes its own in personal mode",
    'Key (`tygs_…`) with which the AI gateway attaches to the control plane; an admin mints it. Team mode needs one.',
  ),
  SERVICE_GATEWAY_UPSTREAM_URL: upstream(
    'https://api.anthropic.com',
    'Provider of `/v1/messages`, and of every path that is not known.',
  ),
  SERVICE_GATEWAY_UPSTREAM_OPENAI_URL: upstream(
    'https://api.openai.com',
    'Provider of `/v1/responses` and `/v1/chat/…`.',
  ),
  SERVICE_GATEWAY_UPSTREAM_TIMEOUT_S: amount(
    600,
    'Seconds within which a provider must begin to answer the AI gateway.',
    1,
    3_600,
  ),
  SERVICE_GATEWAY_ORG_API_KEY: text(
    'unset',
    "The organization's key for the first provider, used for developers billed to the organization. Team mode.",
  ),
  SERVICE_GATEWAY_ORG_OPENAI_API_KEY: text(
    'unset',
    "The organization's key for the second provider. Team mode.",
  ),
  SERVICE_GATEWAY_ADMIN_ORIGINS: origins(
    'none',
    "Origins of pages that may set the organization's key at a gateway, comma-separated.",
  ),
  SERVICE_GATEWAY_STATE_DIR: text(
    '`gateway` in the data folder',
    "The AI gateway's undelivered records, last configuration, key digests and stored organization key; owner only.",
  ),
  SERVICE_GATEWAY_QUEUE_MAX_BYTES: amount(
    1024 ** 3,
    'Most that undelivered records of the AI gateway may take on disk, in bytes.',
    64 * 1024,
    1024 ** 4,
  ),
  DATABASE_URL: text(
    'SQLite in the data folder',
    '`postgres://…`, `postgresql://…`, `postgresql+asyncpg://…` or `sqlite:<path>`.',
  ),
  SERVICE_CONTROL_PLANE_URL: url(
    "this process's own, else http://127.0.0.1:8080",
    'Where the other planes and the browser find the control plane.',
  ),
  SERVICE_INFERENCE_PLANE_URL: url(
    "this process's own, else http://127.0.0.1:8081/v1",
    'Where the control plane finds the inference plane; ends in `/v1`.',
    '/v1',
  ),
  SERVICE_GATEWAY_URL: url(
    "this process's own, else http://127.0.0.1:8082",
    'Where developers and the browser find the AI gateway.',
  ),
  SERVICE_CORS_ORIGINS: origins(
    'localhost and 127.0.0.1 on 5173 and 5174',
    'Origins of browser pages that may call the planes, comma-separated.',
  ),
  SERVICE_SECRET_KEY: keys(
    'an ephemeral key (`serve`), a kept one (desktop launch)',
    'Keys that seal stored secrets, comma-separated: the first encrypts, all decrypt.',
  ),
  SERVICE_INVOKE_TOKEN: text(
    'unset: closed',
    'Token that opens `POST /agents/{id}/invoke` besides API keys.',
  ),
  SERVICE_DURABLE: flag('off (`serve`), on (desktop launch)', 'Durable mode: `true`, `1`, `yes` or `on`.'),
  SERVICE_TOPOLOGY: choice(
    ['local', 'hosted'],
    'local',
    'Where Tycho runs: decides the default capture level, and whether checkpoints are sealed.',
  ),
  SERVICE_ARTIFACT_DIR: text(
    'a folder in the system temp directory (`serve`), in the data folder (desktop launch)',
    'Where artifacts are kept.',
  ),
  SERVICE_INFERENCE_PLANE_STATE_DIR: text(
    '`inference` in the data folder',
    'Registry, credentials and settings of the inference plane.',
  ),
  SERVICE_INFERENCE_PLANE_MODEL_DIR: text(
    '`models` in the state folder of the inference plane',
    'Downloaded weights.',
  ),
  SERVICE_OUTBOUND_ALLOW: list(
    'Hosted topology: hosts, addresses and networks (`10.1.0.0/16`) of private ranges that nodes and tools may call; a comma list.',
  ),
  SERVICE_MAX_RESIDENT: integer('Pins how many engines the inference plane keeps loaded at once.', 1, 16),
  SERVICE_LLAMACPP_BIN: engineProgram('llama-server', 'llamacpp', 'llama.cpp'),
  SERVICE_WHISPERCPP_BIN: engineProgram('whisper-server', 'whispercpp', 'whisper.cpp'),
  SERVICE_SDCPP_BIN: engineProgram('sd-cli', 'sdcpp'),
  SERVICE_MLX_AUDIO_BIN: engineProgram('mlx_audio.server', 'mlx'),
  SERVICE_MFLUX_BIN: engineProgram('mflux-generate', 'mlx'),
  SERVICE_CATALOG_URL: catalog(
    'https://huggingface.co',
    'Where models are searched and downloaded: the address of a hub or a mirror, without `/api`, or a folder (`file:///srv/models`).',
  ),
  HF_HOME: text('`~/.cache/huggingface`', "The machine's own cache and login of the model hub."),
  SERVICE_IO_CAPTURE: choice(
    ['off', 'metadata', 'full'],
    undefined,
    'Cap of the setting `telemetry.io_capture`.',
  ),
  SERVICE_IO_CAPTURE_MAX_BYTES: integer(
    'Cap of the setting `telemetry.io_capture_max_bytes`.',
    1024,
    10_485_760,
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('unset', 'Pins the setting `telemetry.otlp_endpoint`.'),
  SERVICE_OTEL_REDACT_ATTRS: list('Pins the setting `telemetry.otlp_redact_attrs`; a comma list.'),
  SERVICE_MCP_CALL_TIMEOUT_S: decimal('Pins the setting `mcp.call_timeout_s`, in seconds.', 1, 3600),
  SERVICE_MCP_REGISTRIES: registries('Pins the setting `mcp.extra_registries`.'),
  SERVICE_OAUTH_REDIRECT_URL: url('unset', 'Pins the setting `mcp.oauth_redirect_url`.'),
  SERVICE_OIDC_REDIRECT_URL: url('unset', 'Pins the setting `auth.oidc_redirect_url`.'),
  SERVICE_LOG_LEVEL: choice(
    ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    'info',
    'How much is logged; `--log-level` wins.',
  ),
  NO_COLOR: text('unset', 'When set, logs on a terminal carry no colour.'),
  XDG_DATA_HOME: text(
    '`~/.local/share`',
    'Linux: where the data folder is when `SERVICE_DATA_DIR` is unset.',
  ),
  LOCALAPPDATA: text(
    '`AppData\\Local` of the user',
    'Windows: where the data folder is when `SERVICE_DATA_DIR` is unset.',
  ),
} as const

/** A provider's address, with its own as the default. */
function upstream(fallback: string, help: string): Variable<string> {
  const { parse, ...rest } = url(fallback, help)
  return { ...rest, parse: (raw) => parse(raw) ?? fallback }
}

function engineProgram(program: string, folder: string, builtIn?: string) {
  return text(
    `\`${program}\` in \`engines/${folder}\` of the data folder, then on the PATH${builtIn ? `, then the built-in ${builtIn}` : ''}`,
    `Program of the engine: a path, or a name on the PATH. One that names nothing is an error, never another engine.`,
  )
}

/** The environment as typed values. A variable that is unset or empty is its default, or `undefined` without one. */
export type Env = { readonly [Name in keyof typeof VARIABLES]: ReturnType<(typeof VARIABLES)[Name]['parse']> }

/** What is wrong with the environment: every problem at once, each naming its variable. */
export class EnvironmentError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join('\n'))
  }
}

/** Reads and checks the environment. @throws {EnvironmentError} naming every variable that cannot be read. */
export function readEnv(source: Record<string, string | undefined> = Bun.env): Env {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, variable] of Object.entries(VARIABLES)) {
    try {
      values[name] = variable.parse(source[name]?.trim() || undefined)
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`)
    }
  }
  if (problems.length > 0) throw new EnvironmentError(problems)
  return values as Env
}

/**
 * The value of one variable that a person named, as in `secret://NAME` of a model registration. Our own variables are
 * no credentials of models: a registration must not be able to send the secret key to an address of its choice.
 */
export function environmentSecret(
  name: string,
  source: Record<string, string | undefined> = Bun.env,
): string | undefined {
  // Windows finds a variable in any spelling of its case.
  if (Object.hasOwn(VARIABLES, name.toUpperCase()) || !Object.hasOwn(source, name)) return undefined
  return source[name] || undefined
}

/** The process environment for programs that we start; whoever starts them picks the little that they get. */
export const processEnvironment = (): Readonly<Record<string, string | undefined>> => Bun.env

/** Whether requests of this process go out through an HTTP proxy that the environment names. */
export const behindProxy = (source: Record<string, string | undefined> = Bun.env): boolean =>
  ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].some((name) => source[name])

/** The user's data folder of this system, with `/tycho` below it. */
export function defaultDataDir(source: Record<string, string | undefined> = Bun.env): string {
  switch (process.platform) {
    case 'darwin':
      return join(homedir(), 'Library', 'Application Support', 'tycho')
    case 'win32':
      return join(source.LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'tycho')
    default:
      return join(source.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'tycho')
  }
}

/** `hostname:pid`, as traces name the process that did the work. */
export const workerHost = `${hostname()}:${process.pid}`
