import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEnv } from '#kernel/env'
import { listen } from '#kernel/http/listen'
import { silentLogger } from '#kernel/log'
import { type GatewayDeps, gatewayPlane } from '../../src/gateway/plane'
import type { GatewayConfig, RequestRecord } from '../../src/gateway/recording/record'
import { type FakeUpstream, fakeUpstream } from './fake-upstream'

export const CONFIG: GatewayConfig = {
  config_version: 1,
  observer: true,
  record_level: 'metadata',
  redact_rules: null,
  project_attribution: 'basename',
  max_content_bytes: 65_536,
}

interface Options {
  env?: Record<string, string>
  /** As if the control plane had told it before it went away; null for a gateway that was told nothing. */
  config?: Partial<GatewayConfig> | null
  /** Keys as they would be on disk. */
  keys?: object
  attach?: GatewayDeps['attach']
  times?: GatewayDeps['times']
  heartbeatMs?: number
  now?: () => number
  dir?: string
  upstream?: FakeUpstream
}

export type TestGateway = Awaited<ReturnType<typeof openGateway>>

/** Nobody listens there. */
const AWAY = { url: 'http://127.0.0.1:9', serviceKey: 'tygs_unused' }

/** A gateway alone, over a folder of its own and a fake provider; its control plane is away unless told otherwise. */
export async function openGateway({
  env = {},
  config = {},
  keys,
  attach = AWAY,
  times,
  heartbeatMs,
  now = Date.now,
  ...given
}: Options = {}) {
  const dir = given.dir ?? mkdtempSync(join(tmpdir(), 'tycho-gateway-'))
  const state = join(dir, 'state')
  mkdirSync(state, { recursive: true, mode: 0o700 })
  if (config) writeFileSync(join(state, 'config.json'), JSON.stringify({ ...CONFIG, ...config }))
  if (keys) writeFileSync(join(state, 'keys.json'), JSON.stringify(keys))
  const upstream = given.upstream ?? fakeUpstream()
  const log = silentLogger()
  const listener = listen({ name: 'gateway', host: '127.0.0.1', port: 0, variable: '', log })
  const plane = gatewayPlane({
    env: readEnv({
      SERVICE_GATEWAY_UPSTREAM_URL: upstream.url,
      SERVICE_GATEWAY_UPSTREAM_OPENAI_URL: upstream.url,
      ...env,
    }),
    log,
    version: 'test',
    stateDir: state,
    host: '127.0.0.1',
    attach,
    origins: ['http://localhost:5174'],
    proxied: false,
    now,
    times,
    heartbeatMs,
  })
  listener.serveDirectly(plane.handle)
  plane.start()
  return {
    url: listener.url,
    port: listener.port,
    dir,
    state,
    upstream,
    /** What is on disk and was not delivered. */
    records: () => recordsIn(state),
    send: (path: string, init: RequestInit = {}) =>
      fetch(listener.url + path, { redirect: 'manual', decompress: false, ...init } as RequestInit),
    async stop() {
      await listener.stop(0)
      await plane.stop()
    },
    async [Symbol.asyncDispose]() {
      await listener.stop(0)
      await plane.stop()
      if (!given.upstream) await upstream.stop()
      if (!given.dir) rmSync(dir, { recursive: true, force: true })
    },
  }
}

export type RecordLine = RequestRecord & { gateway_id: string; epoch: string; seq: number }

/** The lines of a queue, in order. */
export function recordsIn(state: string): RecordLine[] {
  const queue = join(state, 'queue')
  return readdirSync(queue)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .flatMap((name) => readFileSync(join(queue, name), 'utf8').split('\n').filter(Boolean))
    .map((line) => JSON.parse(line))
}

/** Waits until `ready` returns something. */
export async function until<T>(
  ready: () => T | undefined | null | false | Promise<T | undefined | null | false>,
  ms = 10_000,
): Promise<T> {
  for (const deadline = performance.now() + ms; ; await Bun.sleep(5)) {
    const value = await ready()
    if (value) return value
    if (performance.now() > deadline) throw new Error('it did not come to that in time')
  }
}
