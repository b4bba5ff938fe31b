import { homedir, hostname } from 'node:os'
import { join } from 'node:path'

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
  SERVICE_GATEWAY_HOST: text('127.0.0.1', 'Bind address of the AI gateway.', '127.0.0.1'),
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
  ),
  SERVICE_CORS_ORIGINS: list(
    'localhost and 127.0.0.1 on 5173 and 5174',
    'Origins of browser pages that may call the planes, comma-separated.',
  ),
  SERVICE_SECRET_KEY: text(
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
    'Where Tycho runs: decides the default capture level.',
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
  SERVICE_OTEL_REDACT_ATTRS: text('unset', 'Pins the setting `telemetry.otlp_redact_attrs`; a comma list.'),
  SERVICE_MCP_CALL_TIMEOUT_S: integer('Pins the setting `mcp.call_timeout_s`.', 1, 3600),
  SERVICE_MCP_REGISTRIES: text(
    'unset',
    'Pins the setting `mcp.extra_registries`; JSON of `[{id, label, url}]`.',
  ),
  SERVICE_OAUTH_REDIRECT_URL: url('unset', 'Pins the setting `mcp.oauth_redirect_url`.'),
  SERVICE_OIDC_REDIRECT_URL: url('unset', 'Pins the setting `auth.oidc_redirect_url`.'),
  SERVICE_LOG_LEVEL: choice(
    ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    'info',
    'How much is logged; `--log-level` wins.',
  ),
  NO_COLOR: text('unset', 'When set, logs on a terminal carry no colour.'),
} as const

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

/** The value of one variable that a person named, as in `secret://NAME` of a model registration. */
export const environmentSecret = (name: string): string | undefined => Bun.env[name] || undefined

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

interface Variable<T> {
  type: string
  /** How the default reads in the docs. */
  fallback: string
  help: string
  parse(raw: string | undefined): T
}

function text(fallback: string, help: string, value: string): Variable<string>
function text(fallback: string, help: string): Variable<string | undefined>
function text(fallback: string, help: string, value?: string): Variable<string | undefined> {
  return { type: 'text', fallback, help, parse: (raw) => raw ?? value }
}

function url(fallback: string, help: string): Variable<string | undefined> {
  return {
    type: 'URL',
    fallback,
    help,
    parse(raw) {
      if (raw === undefined) return undefined
      if (!/^https?:$/.test(URL.parse(raw)?.protocol ?? '')) throw new Error('must be an http or https URL.')
      return raw.replace(/\/+$/, '')
    },
  }
}

function list(fallback: string, help: string): Variable<string[] | undefined> {
  return {
    type: 'list',
    fallback,
    help,
    parse: (raw) =>
      raw
        ?.split(',')
        .map((item) => item.trim().replace(/\/+$/, ''))
        .filter(Boolean),
  }
}

function port(value: number, help: string): Variable<number> {
  return { type: 'port', fallback: String(value), help, parse: (raw) => wholeNumber(raw, 0, 65_535) ?? value }
}

function integer(help: string, min: number, max: number): Variable<number | undefined> {
  return { type: `${min} to ${max}`, fallback: 'unset', help, parse: (raw) => wholeNumber(raw, min, max) }
}

function flag(fallback: string, help: string): Variable<boolean | undefined> {
  return {
    type: 'flag',
    fallback,
    help,
    parse(raw) {
      if (raw === undefined) return undefined
      if (/^(true|1|yes|on)$/i.test(raw)) return true
      if (/^(false|0|no|off)$/i.test(raw)) return false
      throw new Error('must be true or false.')
    },
  }
}

function choice<const T extends string, D extends T | undefined>(
  choices: readonly T[],
  value: D,
  help: string,
): Variable<T | D> {
  return {
    type: choices.join(', '),
    fallback: value ?? 'unset',
    help,
    parse(raw) {
      if (raw === undefined) return value
      if (!choices.includes(raw as T)) throw new Error(`must be one of ${choices.join(', ')}.`)
      return raw as T
    },
  }
}

function wholeNumber(raw: string | undefined, min: number, max: number): number | undefined {
  if (raw === undefined) return undefined
  const value = Number(raw)
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new Error(`must be a whole number from ${min} to ${max}.`)
  }
  return value
}
