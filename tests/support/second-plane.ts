import { openDatabase } from '#kernel/db/open'
import { readEnv } from '#kernel/env'
import { originGuard } from '#kernel/http/guard'
import { listen } from '#kernel/http/listen'
import { controlEnvelope } from '#kernel/http/plane'
import { silentLogger } from '#kernel/log'
import { secretBox } from '#kernel/secrets'
import { type ControlDeps, controlPlane } from '../../src/control/plane'
import type { World } from './world'

/** A second control plane over a world's database, as in a hosted install; with limits and a clock of its own. */
export interface SecondPlane extends AsyncDisposable {
  url: string
  /** One request, signed as the world's viewer unless it says otherwise. */
  fetch(path: string, init?: RequestInit & { as?: 'viewer' | 'editor' | 'admin' }): Promise<Response>
  /** Ends the plane as a stop of the process does: the listener first. */
  stop(): Promise<void>
}

export async function secondPlane(
  world: World,
  options: Partial<
    Pick<ControlDeps, 'runLimits' | 'triggerLimits' | 'durable' | 'now' | 'inferenceUrl'>
  > = {},
): Promise<SecondPlane> {
  const log = silentLogger()
  const database = openDatabase(world.env.DATABASE_URL!)
  const listener = listen({ name: 'control plane', host: '127.0.0.1', port: 0, variable: '', log })
  const plane = await controlPlane({
    database,
    env: readEnv(world.env),
    secrets: secretBox(['a key for tests']),
    log,
    version: 'test',
    inferenceUrl: `${world.urls.inference}/v1`,
    baseUrl: listener.url,
    origins: [],
    durable: false,
    artifactDir: world.dir,
    now: Date.now,
    ...options,
  })
  listener.serve({
    handle: plane.app.handle,
    guard: originGuard({ host: '127.0.0.1', origins: [] }),
    envelope: controlEnvelope,
  })
  let stopped: Promise<void> | undefined
  async function stop() {
    await listener.stop(0)
    await plane.stop()
    await database[Symbol.asyncDispose]()
  }
  return {
    url: listener.url,
    async fetch(path, { as = 'viewer', ...init } = {}) {
      return fetch(listener.url + path, {
        ...init,
        headers: {
          authorization: `Bearer ${await world.token(as)}`,
          ...(init.body ? { 'content-type': 'application/json' } : {}),
          ...init.headers,
        },
      })
    },
    stop: () => (stopped ??= stop()),
    [Symbol.asyncDispose]: () => (stopped ??= stop()),
  }
}
