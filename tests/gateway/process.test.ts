import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { readEnv } from '#kernel/env'
import { hashToken } from '#kernel/tokens'
import { checkGateway } from '../../src/gateway/plane'
import { ANTHROPIC_STREAM, anthropicMessage, fakeUpstream } from '../support/fake-upstream'
import { CONFIG, recordsIn, until } from '../support/gateway'
import {
  bareEnvironment,
  emptyFolder,
  FROM_SOURCE,
  removeFolders,
  runTycho,
  startTycho,
} from '../support/process'

afterAll(removeFolders, 30_000)

const args = ['serve', '--planes', 'gateway', '--log-level', 'debug']

test.each([
  [
    'a personal gateway beyond loopback',
    { SERVICE_GATEWAY_HOST: '0.0.0.0' },
    'A personal AI gateway listens on loopback only, not on 0.0.0.0.',
  ],
  [
    'something else as a service key',
    { SERVICE_GATEWAY_SERVICE_KEY: 'tyk_x' },
    'SERVICE_GATEWAY_SERVICE_KEY must be a service key',
  ],
])('%s does not start', (_, env, message) => {
  expect(() => checkGateway(readEnv(env as Record<string, string>))).toThrow(message)
})

test('team mode without a service key does not start, and says why in one line', async () => {
  const env = { ...bareEnvironment(emptyFolder()), SERVICE_GATEWAY_AUTH_MODE: 'team' }
  const { code, stderr } = await runTycho(args, env)
  expect(code).toBe(1)
  expect(stderr).toMatch(/^An AI gateway in team mode needs SERVICE_GATEWAY_SERVICE_KEY\. [^\n]+\n$/)
})

/** The folder of a team's gateway that had attached before. */
function attachedBefore(): { dir: string; state: string } {
  const dir = emptyFolder()
  const state = join(dir, 'gateway')
  mkdirSync(state, { recursive: true })
  writeFileSync(join(state, 'config.json'), JSON.stringify(CONFIG))
  const key = { id: 'k', digest: hashToken('tygk_x'), developer_id: 'u', billing: 'own', enabled: true }
  writeFileSync(join(state, 'keys.json'), JSON.stringify({ keys_version: 'v', keys: [key] }))
  return { dir, state }
}
const TEAM = {
  SERVICE_GATEWAY_AUTH_MODE: 'team',
  SERVICE_GATEWAY_SERVICE_KEY: 'tygs_x',
  SERVICE_CONTROL_PLANE_URL: 'http://127.0.0.1:9',
}

test('a team has a thousand streams open at once, each comes whole and is recorded; no log line has a credential', async () => {
  const STREAMS = 1_000
  const all = Promise.withResolvers<void>()
  const cut = ANTHROPIC_STREAM.indexOf('event: ping')
  const half = (from: number, to?: number) => new TextEncoder().encode(ANTHROPIC_STREAM.slice(from, to))
  let open = 0
  const upstream = fakeUpstream(
    () =>
      new Response(
        new ReadableStream({
          async start(out) {
            out.enqueue(half(0, cut))
            if (++open === STREAMS) all.resolve()
            await all.promise
            out.enqueue(half(cut))
            out.close()
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      ),
  )
  const { dir, state } = attachedBefore()
  await using tycho = await startTycho({
    args,
    env: { ...bareEnvironment(dir), ...TEAM, SERVICE_GATEWAY_UPSTREAM_URL: upstream.url },
  })
  const agent = new Agent({ maxSockets: STREAMS })
  const headers = { 'x-service-gateway-key': 'tygk_x', authorization: 'Bearer sk-the-developers-own' }
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      const asked = request(
        `${tycho.urls.gateway}/v1/messages`,
        { method: 'POST', agent, headers },
        async (answer) => resolve(Buffer.concat(await answer.toArray()).toString()),
      )
      asked.on('error', reject).end('{}')
    })
  const answers = await Promise.all(Array.from({ length: STREAMS }, ask))
  expect(answers.filter((text) => text !== ANTHROPIC_STREAM)).toEqual([])
  await until(() => recordsIn(state).length === STREAMS)
  const bytes = Buffer.byteLength(ANTHROPIC_STREAM)
  const told = recordsIn(state).map(({ response }) => [
    response.ended,
    response.res_bytes,
    response.stop_reason,
  ])
  expect(told).toEqual(Array.from({ length: STREAMS }, () => ['complete', bytes, 'tool_use']))
  expect(tycho.output()).not.toMatch(/tygk_x|sk-the-developers-own|tygs_x/)
  await upstream.stop()
}, 40_000)

test('SIGTERM lets a stream end, and its record is on disk', async () => {
  const half = Promise.withResolvers<void>()
  const rest = Promise.withResolvers<void>()
  const upstream = fakeUpstream(
    () =>
      new Response(
        new ReadableStream({
          async start(out) {
            out.enqueue(new TextEncoder().encode(ANTHROPIC_STREAM.slice(0, 500)))
            half.resolve()
            await rest.promise
            out.enqueue(new TextEncoder().encode(ANTHROPIC_STREAM.slice(500)))
            out.close()
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      ),
  )
  const { dir, state } = attachedBefore()
  await using tycho = await startTycho({
    args,
    env: { ...bareEnvironment(dir), ...TEAM, SERVICE_GATEWAY_UPSTREAM_URL: upstream.url },
  })
  const answer = await fetch(`${tycho.urls.gateway}/v1/messages`, {
    method: 'POST',
    body: '{}',
    headers: { 'x-service-gateway-key': 'tygk_x', authorization: 'Bearer own' },
  })
  await half.promise
  const ended = tycho.end('SIGTERM')
  rest.resolve()
  expect(await answer.text()).toBe(ANTHROPIC_STREAM)
  expect(await ended).toBe(0)
  expect(recordsIn(state)).toMatchObject([{ response: { ended: 'complete' } }])
  await upstream.stop()
}, 40_000)

/** A file system of 1 MiB of our own, where the machine lets us have one. */
const SMALL_DISK = (dir: string) => [
  'unshare',
  '--user',
  '--map-root-user',
  '--mount',
  'sh',
  '-c',
  `mount -t tmpfs -o size=1m tmpfs '${dir}' && cp -a '${dir}.before/.' '${dir}' && exec "$@"`,
  'sh',
]
const canMount = (() => {
  const dir = emptyFolder()
  mkdirSync(`${dir}.before`)
  return Bun.spawnSync([...SMALL_DISK(dir), 'true'], { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0
})()

test.skipIf(!canMount)(
  'a disk that is full costs records, never an answer; the hole is told',
  async () => {
    const upstream = fakeUpstream(() =>
      anthropicMessage({ content: [{ type: 'text', text: 'x'.repeat(20_000) }] }),
    )
    const { dir, state } = attachedBefore()
    writeFileSync(join(state, 'config.json'), JSON.stringify({ ...CONFIG, record_level: 'full' }))
    mkdirSync(`${state}.before`)
    Bun.spawnSync(['cp', '-a', `${state}/.`, `${state}.before`])
    await using tycho = await startTycho({
      command: [...SMALL_DISK(state), ...FROM_SOURCE],
      args,
      env: { ...bareEnvironment(dir), ...TEAM, SERVICE_GATEWAY_UPSTREAM_URL: upstream.url },
    })
    const ask = async () => {
      const answer = await fetch(`${tycho.urls.gateway}/v1/messages`, {
        method: 'POST',
        body: '{}',
        headers: { 'x-service-gateway-key': 'tygk_x', authorization: 'Bearer own' },
      })
      await answer.text()
      return answer.status
    }
    for (let index = 0; index < 90; index++) expect(await ask()).toBe(200)
    const { reasons } = await (await fetch(`${tycho.urls.gateway}/readyz`)).json()
    expect(reasons).toContain('Records are being dropped: the queue or the disk is full.')
    await until(() => tycho.output().includes('records cannot be written'))
    await upstream.stop()
  },
  40_000,
)
