import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultOrigins, originGuard } from '#kernel/http/guard'
import { listen } from '#kernel/http/listen'
import { inferenceEnvelope } from '#kernel/http/plane'
import { createLogger } from '#kernel/log'
import { type InferenceDeps, inferencePlane } from '../../src/inference/plane'
import { GUARD } from '../engines/guard-program'
import { checkAgainstDocument } from './contract'
import { type FakeProvider, fakeProvider } from './fake-provider'
import type { Answer } from './world'

interface Options
  extends Partial<
    Pick<
      InferenceDeps,
      | 'env'
      | 'environment'
      | 'engineHost'
      | 'threads'
      | 'platform'
      | 'arch'
      | 'keepaliveMs'
      | 'progressMs'
      | 'answerWithinMs'
      | 'now'
      | 'reapMs'
      | 'memoryBytes'
      | 'patience'
    >
  > {
  /** An existing state folder, to start over what another plane left. */
  dir?: string
  /** What the process environment holds for `secret://NAME`. */
  secrets?: Record<string, string>
}

/** The inference plane alone, on a port of its own, with a provider and everything that it logs. */
export interface InferencePlane extends AsyncDisposable {
  dir: string
  url: string
  provider: FakeProvider
  /** Every log line so far. */
  logs: string[]
  /** One request; the answer is held against the OpenAPI document. */
  call(
    method: string,
    path: string,
    body?: unknown,
    options?: { headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Answer>
  /** Registers the provider's model. */
  register(id?: string, more?: Record<string, unknown>): Promise<void>
}

export async function openInferencePlane({
  dir,
  secrets = {},
  ...options
}: Options = {}): Promise<InferencePlane> {
  const stateDir = dir ?? join(mkdtempSync(join(tmpdir(), 'tycho-inference-')), 'state')
  const provider = fakeProvider()
  const logs: string[] = []
  const log = createLogger({ level: 'trace', readable: false, write: (line) => logs.push(line) })
  const listener = listen({ name: 'inference plane', host: '127.0.0.1', port: 0, variable: 'unused', log })
  const plane = await inferencePlane({
    env: { SERVICE_MAX_RESIDENT: undefined, HF_HOME: undefined },
    log,
    version: '0.0.0',
    stateDir,
    modelDir: join(stateDir, 'models'),
    enginesDir: join(stateDir, 'engines'),
    // Engines of the machine that the tests run on are none of theirs.
    environment: { PATH: '/nowhere', HOME: stateDir },
    guard: GUARD,
    environmentSecret: (name) => secrets[name],
    now: Date.now,
    ...options,
  })
  listener.serve({
    handle: plane.app.handle,
    guard: originGuard({ host: '127.0.0.1', origins: defaultOrigins(5174) }),
    envelope: inferenceEnvelope,
  })

  const opened: InferencePlane = {
    dir: stateDir,
    url: listener.url,
    provider,
    logs,

    async call(method, path, body, { headers = {}, signal } = {}) {
      const raw = body instanceof FormData || body instanceof Uint8Array || typeof body === 'string'
      const response = await fetch(opened.url + path, {
        method,
        signal,
        headers: { ...(body === undefined || raw ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: raw ? (body as BodyInit) : JSON.stringify(body) }),
      })
      const text = await response.text()
      const answer = { status: response.status, headers: response.headers, body: parsed(text), response }
      await checkAgainstDocument(opened.url, method, path, answer)
      return answer
    },

    async register(id = 'test-model', more = {}) {
      const { status, body } = await opened.call('PUT', `/admin/models/${encodeURIComponent(id)}`, {
        binding: 'standard-compatible',
        model: 'fake-model',
        baseUrl: provider.url,
        ...more,
      })
      if (status !== 200) throw new Error(`the model was not registered: ${JSON.stringify(body)}`)
    },

    async [Symbol.asyncDispose]() {
      await listener.stop(0)
      await plane.stop()
      await provider.stop()
      if (!dir) rmSync(join(stateDir, '..'), { recursive: true, force: true })
    },
  }
  return opened
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
