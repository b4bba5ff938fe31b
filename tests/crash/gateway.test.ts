import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openDatabase } from '#kernel/db/open'
import { ANTHROPIC_STREAM, type FakeUpstream, fakeUpstream, streamOf } from '../support/fake-upstream'
import { until } from '../support/gateway'
import { freePort } from '../support/postgres'
import {
  bareEnvironment,
  emptyFolder,
  removeFolders,
  startTycho,
  type TychoProcess,
} from '../support/process'

/** How often each is killed; `tests/bench` does it for longer. */
const KILLS = Number(Bun.env.GATEWAY_KILLS ?? 2)
const WORKERS = 8

let upstream: FakeUpstream
let dir: string
let control: { start(): Promise<TychoProcess>; url: string; running: TychoProcess }
let gateway: { start(): Promise<TychoProcess>; url: string; running: TychoProcess }
let token: string
/** Session ids of requests whose answers came whole: of these, each must be recorded exactly once. */
const answered = new Set<string>()
let sent = 0

async function call(method: string, path: string, body?: unknown) {
  const answer = await fetch(control.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests read it field by field
  return answer.json() as Promise<any>
}

beforeAll(async () => {
  upstream = fakeUpstream(() => streamOf([ANTHROPIC_STREAM.slice(0, 600), ANTHROPIC_STREAM.slice(600)]))
  dir = emptyFolder()
  const controlPort = String(await freePort())
  const gatewayPort = String(await freePort())
  const start = (plane: string, env: Record<string, string>) => () =>
    startTycho({
      args: ['serve', '--planes', plane, '--log-level', 'error'],
      env: { ...bareEnvironment(dir), ...env },
    })
  const startControl = start('control', {
    SERVICE_CONTROL_PLANE_PORT: controlPort,
    SERVICE_SECRET_KEY: 'a key for tests',
  })
  control = { start: startControl, url: `http://127.0.0.1:${controlPort}`, running: await startControl() }
  token = (
    await call('POST', '/auth/setup', {
      username: 'ada',
      password: 'correct horse battery',
      display_name: 'Ada',
    })
  ).token
  const made = await call('POST', '/gateways', { name: 'Mortal' })
  await call('PUT', `/gateways/${made.gateway.id}/config`, { observer: true, record_level: 'full' })
  const startGateway = start('gateway', {
    SERVICE_GATEWAY_PORT: gatewayPort,
    SERVICE_CONTROL_PLANE_URL: control.url,
    SERVICE_GATEWAY_SERVICE_KEY: made.service_key,
    SERVICE_GATEWAY_UPSTREAM_URL: upstream.url,
  })
  gateway = { start: startGateway, url: `http://127.0.0.1:${gatewayPort}`, running: await startGateway() }
  await until(async () => (await ready())?.recording)
}, 60_000)
afterAll(async () => {
  await gateway.running.end('SIGKILL')
  await control.running.end('SIGKILL')
  await upstream.stop()
  removeFolders()
}, 30_000)

const ready = () =>
  fetch(`${gateway.url}/readyz`).then(
    (answer) => answer.json() as Promise<{ recording: boolean; queue_records: number }>,
    () => null,
  )

/** A developer who keeps asking, each time in a session of its own, whatever happens. */
async function develop(signal: AbortSignal) {
  while (!signal.aborted) {
    const session = `s${++sent}`
    try {
      const answer = await fetch(`${gateway.url}/v1/messages`, {
        method: 'POST',
        headers: { 'user-agent': 'claude-cli/2.1.329 (external, cli)', 'x-claude-code-session-id': session },
        body: JSON.stringify({
          model: 'm',
          stream: true,
          messages: [{ role: 'user', content: 'x'.repeat(2_000) }],
        }),
      })
      if ((await answer.text()) === ANTHROPIC_STREAM) answered.add(session)
    } catch {
      // It is being killed: the developer tries again.
      await Bun.sleep(5)
    }
  }
}

async function recorded(): Promise<Map<string, number>> {
  await using database = openDatabase(`sqlite:${join(dir, 'tycho.db')}`)
  const rows = await database.db.selectFrom('gateway_records').select('session_id').execute()
  const counts = new Map<string, number>()
  for (const { session_id } of rows) counts.set(session_id!, (counts.get(session_id!) ?? 0) + 1)
  return counts
}

async function kill(what: typeof control) {
  await what.running.end('SIGKILL')
  what.running = await what.start()
}

test('kill -9 of the gateway, of the control plane and of both, under load: nothing is lost, nothing comes twice', async () => {
  const over = new AbortController()
  const developers = Array.from({ length: WORKERS }, () => develop(over.signal))
  const more = async (count: number) => {
    const until_ = answered.size + count
    await until(() => answered.size >= until_, 20_000)
  }
  for (let round = 0; round < KILLS; round++) {
    await more(60)
    await kill(gateway)
    await more(60)
    await kill(control)
    await more(60)
    await Promise.all([kill(gateway), kill(control)])
  }
  await more(60)
  over.abort()
  await Promise.all(developers)
  await until(async () => (await ready())?.queue_records === 0, 40_000)

  const counts = await recorded()
  expect([...answered].filter((session) => !counts.has(session))).toEqual([])
  expect([...counts].filter(([, count]) => count !== 1)).toEqual([])
  expect(answered.size).toBeGreaterThan(60 * KILLS)
  process.stdout.write(`${answered.size} answered, ${counts.size} recorded, ${3 * KILLS} rounds of kill -9\n`)
}, 120_000)

test('a gateway that starts while the control plane is away serves and records; it delivers later', async () => {
  await control.running.end('SIGKILL')
  await kill(gateway)
  const over = new AbortController()
  const before = answered.size
  const developers = [develop(over.signal)]
  await until(() => answered.size >= before + 20)
  over.abort()
  await Promise.all(developers)
  expect((await ready())?.queue_records).toBeGreaterThanOrEqual(20)
  control.running = await control.start()
  await until(async () => (await ready())?.queue_records === 0, 40_000)
  const counts = await recorded()
  expect([...answered].filter((session) => counts.get(session) !== 1)).toEqual([])
}, 90_000)
