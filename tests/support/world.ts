import { afterAll, beforeAll, describe } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEnv } from '#kernel/env'
import type { Role } from '#kernel/http/plane'
import { silentLogger } from '#kernel/log'
import { boot, PLANES, type Plane, type Running } from '../../src/boot'
import { GUARD } from '../engines/guard-program'
import { checkAgainstDocument } from './contract'
import { type FakeProvider, fakeProvider } from './fake-provider'
import { freshPostgresDatabase } from './postgres'

export type DatabaseKind = 'sqlite' | 'postgres'

interface Options {
  database?: DatabaseKind
  env?: Record<string, string>
  planes?: readonly Plane[]
  desktop?: boolean
  /** What is in the database when the program first starts. */
  before?: (databaseUrl: string) => Promise<void>
  /** Serves the bundled interface too, for a browser. */
  interface?: boolean
}

interface CallOptions {
  /** Sign as this role, or send this bearer; nobody by default. */
  as?: Role | { token: string }
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** Everything real, on ports of its own: all planes over one database in a folder of its own, and a model provider. */
export interface World extends AsyncDisposable {
  dir: string
  urls: Record<Plane, string>
  provider: FakeProvider
  env: Record<string, string>
  /** The bearer of an account of that role; the three accounts are made at the first use, the admin by set-up. */
  token(role: Role): Promise<string>
  /** One request to the control plane. Every answer is held against the OpenAPI document. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** The same to the inference plane. */
  infer(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Registers the fake provider's model under a logical id. */
  registerModel(id?: string, more?: Record<string, unknown>): Promise<void>
  /** Stops everything and starts it again over the same folder and database. */
  restart(): Promise<void>
}

export interface Answer {
  status: number
  headers: Headers
  /** The parsed JSON, or the text where it is none; unread for streams. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on it field by field
  body: any
  response: Response
}

const PASSWORD = 'correct horse battery'

export async function openWorld({
  database = 'sqlite',
  env = {},
  planes = PLANES,
  desktop = false,
  before,
  interface: withInterface = false,
}: Options = {}): Promise<World> {
  const dir = mkdtempSync(join(tmpdir(), 'tycho-world-'))
  const provider = fakeProvider()
  const variables: Record<string, string> = {
    SERVICE_DATA_DIR: dir,
    SERVICE_ARTIFACT_DIR: join(dir, 'artifacts'),
    SERVICE_SECRET_KEY: 'a key for tests',
    DATABASE_URL: database === 'postgres' ? await freshPostgresDatabase() : `sqlite:${join(dir, 'tycho.db')}`,
    SERVICE_CONTROL_PLANE_PORT: '0',
    SERVICE_INFERENCE_PLANE_PORT: '0',
    SERVICE_GATEWAY_PORT: '0',
    SERVICE_INTERFACE_PORT: '0',
    ...env,
  }
  const interfaceFiles = withInterface ? await bundledInterface() : {}
  const start = (): Promise<Running> =>
    boot({
      env: readEnv(variables),
      planes,
      log: silentLogger(),
      desktop,
      interfaceFiles,
      engineGuard: GUARD,
    })
  await before?.(variables.DATABASE_URL!)
  let running = await start()
  const tokens = new Map<Role, Promise<string>>()

  const world: World = {
    dir,
    provider,
    env: variables,
    urls: running.urls as Record<Plane, string>,

    token(role) {
      const token = tokens.get(role) ?? signIn(role)
      tokens.set(role, token)
      return token
    },

    call: async (method, path, options = {}) => request('control', method, path, options),
    infer: async (method, path, options = {}) => request('inference', method, path, options),

    async registerModel(id = 'test-model', more = {}) {
      const body = { binding: 'standard-compatible', model: 'fake-model', baseUrl: provider.url, ...more }
      const { status, body: answer } = await world.infer('PUT', `/admin/models/${encodeURIComponent(id)}`, {
        body,
      })
      if (status !== 200) throw new Error(`the model was not registered: ${JSON.stringify(answer)}`)
    },

    async restart() {
      await running[Symbol.asyncDispose]()
      running = await start()
      world.urls = running.urls as Record<Plane, string>
    },

    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]()
      await provider.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }

  async function request(
    plane: 'control' | 'inference',
    method: string,
    path: string,
    options: CallOptions,
  ): Promise<Answer> {
    const { as, body, headers = {}, signal } = options
    const token = typeof as === 'string' ? await world.token(as) : as?.token
    const raw = body instanceof Uint8Array || body instanceof FormData || typeof body === 'string'
    const response = await fetch(world.urls[plane] + path, {
      method,
      redirect: 'manual',
      signal,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body !== undefined && !raw ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw ? (body as BodyInit) : JSON.stringify(body) }),
    })
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
      return { status: response.status, headers: response.headers, body: undefined, response }
    }
    const text = await response.text()
    const answer = { status: response.status, headers: response.headers, body: parse(text), response }
    await checkAgainstDocument(world.urls[plane], method, path, answer)
    return answer
  }

  /** Set-up makes the admin; the admin makes the others. */
  async function signIn(role: Role): Promise<string> {
    const username = `the-${role}`
    if (role === 'admin') {
      const { body } = await world.call('POST', '/auth/setup', {
        body: { username, password: PASSWORD, display_name: 'The admin' },
      })
      return body.token
    }
    await world.call('POST', '/users', { as: 'admin', body: { username, password: PASSWORD, role } })
    return (await world.call('POST', '/auth/login', { body: { username, password: PASSWORD } })).body.token
  }

  return world
}

/**
 * Runs the same tests over both databases, one world each. `DB=sqlite` keeps the inner loop fast.
 * `world()` is for use inside tests and hooks.
 */
export function eachDatabase(
  tests: (world: () => World, kind: DatabaseKind) => void,
  options: Omit<Options, 'database'> = {},
) {
  for (const kind of (process.env.DB ?? 'sqlite,postgres').split(',') as DatabaseKind[]) {
    describe(kind, () => {
      let world: World
      beforeAll(async () => {
        world = await openWorld({ ...options, database: kind })
      }, 60_000)
      // A stop waits for open connections, as that of a body nobody read.
      afterAll(() => world[Symbol.asyncDispose](), 30_000)
      tests(() => world, kind)
    })
  }
}

/** The events of a stream, as they come. */
export async function* events(
  response: Response,
): AsyncGenerator<{ event?: string; id?: string; data: string }> {
  const { EventSourceParserStream } = await import('eventsource-parser/stream')
  const text = response.body!.pipeThrough(new TextDecoderStream() as never) as ReadableStream<string>
  for await (const { event, id, data } of text.pipeThrough(new EventSourceParserStream()))
    yield { event, id, data }
}

/** Brings the bundle up to date first, so that a test never looks at yesterday's interface. */
async function bundledInterface(): Promise<Record<string, string>> {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, 'build/interface.ts', '--if-changed'])
  if (exitCode !== 0) throw new Error(`the interface was not bundled: ${stderr}`)
  return (await import('../../build/ui-files.gen')).uiFiles
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
