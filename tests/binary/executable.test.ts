import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import { runs, until } from '../engines/machine'
import { toneWav } from '../support/built-in-plane'
import { fakeEngine, journalOf } from '../support/fake-engine'
import { fakeProvider } from '../support/fake-provider'
import { fakeUpstream } from '../support/fake-upstream'
import { CONFIG, recordsIn } from '../support/gateway'
import { makeParrot } from '../support/make-tiny-gguf'
import { makeTinyWhisper } from '../support/make-tiny-whisper'
import { freshPostgresDatabase } from '../support/postgres'
import { bareEnvironment, emptyFolder, runTycho, startTycho } from '../support/process'

/** The executable, alone in a folder, far from any `node_modules`. */
const folder = emptyFolder()
const executable = join(folder, 'tycho')
const provider = fakeProvider()

beforeAll(() => {
  const build = Bun.spawnSync([
    process.execPath,
    'build/binary.ts',
    `--outfile=${join(emptyFolder(), 'tycho')}`,
  ])
  const made = /^(\S+): .* MiB/m.exec(build.stdout.toString())?.[1]
  if (!made) throw new Error(`the executable was not built: ${build.stderr}`)
  cpSync(made, executable)
}, 120_000)
afterAll(() => provider.stop())

const start = (env: Record<string, string>, args = ['--no-open']) =>
  startTycho({ command: [executable], args, env: { ...env, PATH: '' }, cwd: folder })

async function send(method: string, url: string, body?: unknown, token?: string) {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${text}`)
  return text.startsWith('{') ? JSON.parse(text) : text
}

test('it says its version and nothing else is beside it', async () => {
  expect((await runTycho(['--version'], {}, [executable])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(readdirSync(folder)).toEqual(['tycho'])
})

for (const database of ['sqlite', 'postgres'] as const) {
  test(`${database}: first account, a model, a streamed answer and its trace`, async () => {
    const env = bareEnvironment(emptyFolder())
    if (database === 'postgres') env.DATABASE_URL = await freshPostgresDatabase()
    await using tycho = await start(env)
    const { control, inference, interface: page } = tycho.urls as Record<string, string>
    const { token } = await send('POST', `${control}/auth/setup`, {
      username: 'ada',
      password: 'correct horse battery',
    })
    await send('PUT', `${inference}/admin/models/my-model`, {
      binding: 'standard-compatible',
      model: 'fake-model',
      baseUrl: provider.url,
    })

    const stream = await send('POST', `${control}/runs`, { model: 'my-model', input: 'Hello' }, token)
    expect(stream).toContain('event: delta')
    expect(stream).toEndWith('data: [DONE]\n\n')
    const runId = /"runId":"(\w+)"/.exec(stream)![1]
    const run = await send('GET', `${control}/runs/${runId}`, undefined, token)
    expect(run).toMatchObject({ status: 'completed', output: 'You said: Hello.' })
    const trace = await send('GET', `${control}/runs/${runId}/trace`, undefined, token)
    expect(trace.spans.map((span: { name: string }) => span.name)).toContain('model.generate')

    const client = new OpenAI({ baseURL: `${inference}/v1`, apiKey: 'none' })
    const messages = [{ role: 'user' as const, content: 'Hi' }]
    const answer = await client.chat.completions.create({ model: 'my-model', messages })
    expect(answer.choices[0]?.message.content).toBe('You said: Hi.')

    const html = await send('GET', page!)
    const script = /src="(\/[^"]+\.js)"/.exec(html)![1]
    expect((await fetch(page + script!)).status).toBe(200)
    expect(await tycho.end('SIGTERM')).toBe(0)
  }, 60_000)
}

test('an engine of the executable does not outlive its SIGKILL', async () => {
  const data = emptyFolder()
  const journal = join(data, 'journal')
  const place = join(data, 'engines', 'llamacpp')
  mkdirSync(place, { recursive: true })
  fakeEngine(place, 'llama-server', { journal })
  const weights = join(data, 'weights.gguf')
  await Bun.write(weights, '')
  await using tycho = await startTycho({ command: [executable], env: bareEnvironment(data), cwd: folder })
  const { inference } = tycho.urls as { inference: string }
  await send('PUT', `${inference}/admin/models/mine`, {
    binding: 'llamacpp',
    source: 'local-path',
    model: weights,
  })
  await send('POST', `${inference}/v1/chat/completions`, { model: 'mine', messages: [] })
  const { pid } = (await journalOf(journal))[0]!
  expect(await runs(pid)).toBe(true)
  await tycho.end('SIGKILL')
  await until(async () => !(await runs(pid)))
}, 30_000)

test('its own engines answer where nothing is installed, from libraries that it writes once', async () => {
  const data = emptyFolder()
  const env = bareEnvironment(data)
  const weights = { chat: join(data, 'parrot.gguf'), ears: join(data, 'ggml-tiny.bin') }
  makeParrot(weights.chat)
  makeTinyWhisper(weights.ears)
  const natives = join(data, 'inference', 'engines')
  const local = { binding: 'llamacpp', source: 'local-path' }
  const answer = async ({ inference }: Partial<Record<string, string>>) => {
    const client = new OpenAI({ baseURL: `${inference}/v1`, apiKey: 'none', maxRetries: 0 })
    const messages = [{ role: 'user' as const, content: 'Hi' }]
    const { choices } = await client.chat.completions.create({ model: 'parrot', messages })
    const file = new File([toneWav()], 'a.wav')
    const { text } = await client.audio.transcriptions.create({ model: 'ears', file })
    return [choices[0]!.message.content, text]
  }
  const said = [expect.stringMatching(/^Hello from a model/), 'Hello from a tiny whisper.']
  {
    await using tycho = await start(env)
    const { inference } = tycho.urls
    await send('PUT', `${inference}/admin/models/parrot`, { ...local, model: weights.chat })
    const ears = { ...local, model: weights.ears, modality: 'audio.transcription' }
    await send('PUT', `${inference}/admin/models/ears`, ears)
    expect(await answer(tycho.urls)).toEqual(said)
    const { binaries } = await send('GET', `${inference}/admin/diagnostics`)
    expect(binaries[0]).toMatchObject({ path: executable, builtIn: true })
    expect(binaries[0].version).toContain('llama.cpp')
  }
  const written = readdirSync(natives).sort()
  expect(written).toEqual([expect.stringMatching(/^llamacpp-/), expect.stringMatching(/^whispercpp-/)])
  const library = join(natives, written[0]!, 'linux-x64', 'libggml-base.so')
  const whole = statSync(library).size
  truncateSync(library, 1000)
  await using again = await start(env)
  expect(await answer(again.urls)).toEqual(said)
  expect(statSync(library).size).toBe(whole)
  expect(readdirSync(natives).sort()).toEqual(written)
}, 60_000)

test('what it keeps is there after a restart', async () => {
  const env = bareEnvironment(emptyFolder())
  {
    await using tycho = await start(env)
    await send('POST', `${tycho.urls.control}/auth/setup`, {
      username: 'ada',
      password: 'correct horse battery',
    })
    await tycho.end('SIGKILL')
  }
  await using again = await start(env)
  const { token } = await send('POST', `${again.urls.control}/auth/login`, {
    username: 'ada',
    password: 'correct horse battery',
  })
  expect(token).toStartWith('tys_')
})

test('a .env, a bunfig.toml and a package.json beside it change nothing', async () => {
  const work = emptyFolder()
  await Bun.write(join(work, '.env'), 'SERVICE_DURABLE=nonsense\n')
  await Bun.write(join(work, 'bunfig.toml'), 'preload = ["./missing.ts"]\n')
  await Bun.write(join(work, 'package.json'), '{ broken')
  await using tycho = await startTycho({
    command: [executable],
    env: bareEnvironment(emptyFolder()),
    cwd: work,
  })
  expect((await fetch(`${tycho.urls.control}/healthz`)).status).toBe(200)
})

test.each(['Port', 'doctor', 'migrate'])('%s works in the executable as from source', async (what) => {
  const env = bareEnvironment(emptyFolder())
  if (what === 'Port') {
    using other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
    const { code, stderr } = await runTycho(['serve'], { ...env, SERVICE_GATEWAY_PORT: String(other.port) }, [
      executable,
    ])
    expect(stderr).toMatch(/^Port \d+ of the AI gateway is taken\./)
    expect(code).toBe(1)
  } else {
    expect((await runTycho([what], env, [executable])).code).toBe(0)
  }
})

test('the gateway has its worker with it: a large request is recorded with what it says', async () => {
  const upstream = fakeUpstream()
  const dir = emptyFolder()
  const state = join(dir, 'gateway')
  mkdirSync(state)
  writeFileSync(join(state, 'config.json'), JSON.stringify(CONFIG))
  const env = {
    ...bareEnvironment(dir),
    SERVICE_GATEWAY_UPSTREAM_URL: upstream.url,
    SERVICE_GATEWAY_SERVICE_KEY: 'tygs_x',
    SERVICE_CONTROL_PLANE_URL: 'http://127.0.0.1:9',
  }
  await using tycho = await start(env, ['serve', '--planes', 'gateway'])
  const body = { model: 'large', messages: [{ role: 'user', content: 'x'.repeat(2 ** 21) }] }
  await send('POST', `${tycho.urls.gateway}/v1/messages`, body)
  await tycho.end('SIGTERM')
  expect(recordsIn(state)).toMatchObject([{ request: { model_requested: 'large', messages: 1 } }])
  await upstream.stop()
}, 60_000)
