import { expect, test } from 'bun:test'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { bareEnvironment, emptyFolder, runTycho, startTycho } from '../support/process'

test('every listener says that it is up, and a stop ends with 0', async () => {
  const env = bareEnvironment(emptyFolder())
  await using tycho = await startTycho({ env })
  expect(Object.keys(tycho.urls)).toEqual(['control', 'inference', 'gateway', 'interface'])
  for (const url of Object.values(tycho.urls)) {
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok' })
  }
  expect(await tycho.end('SIGTERM')).toBe(0)
})

test('Ctrl-C ends with 0 too', async () => {
  await using tycho = await startTycho({ env: bareEnvironment(emptyFolder()) })
  expect(await tycho.end('SIGINT')).toBe(0)
})

test('--planes serves those and no other', async () => {
  const env = bareEnvironment(emptyFolder())
  await using tycho = await startTycho({ env, args: ['serve', '--planes', 'inference,gateway'] })
  expect(Object.keys(tycho.urls)).toEqual(['inference', 'gateway'])
  expect(existsSync(join(env.SERVICE_DATA_DIR!, 'tycho.db'))).toBe(false)
})

test.each([
  ['SERVICE_CONTROL_PLANE_PORT', 'control plane'],
  ['SERVICE_INFERENCE_PLANE_PORT', 'inference plane'],
  ['SERVICE_GATEWAY_PORT', 'AI gateway'],
  ['SERVICE_INTERFACE_PORT', 'interface'],
])('a taken port (%s) is one line that names it, and nothing is half started', async (variable, name) => {
  using other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const folder = emptyFolder()
  const { code, stderr, stdout } = await runTycho(['serve'], {
    ...bareEnvironment(folder),
    [variable]: String(other.port),
  })
  expect(code).toBe(1)
  expect(stderr).toBe(
    `Port ${other.port} of the ${name} is taken. Stop what uses it, or set ${variable} to another port.\n`,
  )
  expect(stdout).toBe('')
  expect(readdirSync(folder)).toEqual([])
})

test('every problem of the environment is told at once', async () => {
  const env = {
    ...bareEnvironment(emptyFolder()),
    SERVICE_DURABLE: 'maybe',
    SERVICE_GATEWAY_PORT: '70000',
    DATABASE_URL: '',
  }
  const { code, stderr } = await runTycho(['serve'], env)
  expect(code).toBe(1)
  expect(stderr.trim().split('\n')).toEqual([
    'SERVICE_GATEWAY_PORT must be a whole number from 0 to 65535.',
    'SERVICE_DURABLE must be true or false.',
  ])
})

test.each([
  [['sevre'], 'There is no command sevre. Did you mean serve?'],
  [['serve', '--plane', 'control'], "error: unknown option '--plane'\n(Did you mean --planes?)"],
  [
    ['serve', '--planes', 'contrl'],
    'There is no plane contrl; the planes are control, inference, gateway, interface.',
  ],
  [['--log-level', 'loud'], 'Allowed choices are trace, debug, info, warn, error, silent.'],
])('%p is refused with a suggestion', async (args, message) => {
  const { code, stderr } = await runTycho(args, bareEnvironment(emptyFolder()))
  expect(code).toBe(1)
  expect(stderr).toContain(message)
  expect(stderr).not.toContain(' at ')
})

test('a second process on the same data folder is refused', async () => {
  const env = bareEnvironment(emptyFolder())
  await using _first = await startTycho({ env })
  const { code, stderr } = await runTycho(['serve'], env)
  expect(code).toBe(1)
  expect(stderr).toContain('Another Tycho already serves')
})

test('a second process on the same models is refused in one line, whatever its database is', async () => {
  const env = bareEnvironment(emptyFolder())
  env.SERVICE_INFERENCE_PLANE_STATE_DIR = join(emptyFolder(), 'models')
  await using first = await startTycho({ env, args: ['serve', '--planes', 'inference'] })
  const other = { ...env, SERVICE_DATA_DIR: emptyFolder() }
  const { code, stderr } = await runTycho(['serve', '--planes', 'inference'], other)
  expect(code).toBe(1)
  expect(stderr).toBe(
    `Another Tycho already serves ${env.SERVICE_INFERENCE_PLANE_STATE_DIR}. Stop it, or set SERVICE_DATA_DIR or SERVICE_INFERENCE_PLANE_STATE_DIR.\n`,
  )
  // The lock goes with the process, however that ends.
  await first.end('SIGKILL')
  await using _again = await startTycho({ env: other, args: ['serve', '--planes', 'inference'] })
}, 30_000)

test.each([
  [
    'a database that does not answer',
    () => ({ DATABASE_URL: 'postgresql://tycho:hunter22@127.0.0.1:1/tycho' }),
  ],
  [
    'a file that is no database',
    () => ({ DATABASE_URL: `sqlite:${join(import.meta.dirname, 'process.test.ts')}` }),
  ],
  [
    'a data folder that is a file',
    () => ({ SERVICE_DATA_DIR: join(import.meta.dirname, 'process.test.ts') }),
  ],
  ['an address of another machine', () => ({ SERVICE_HOST: '203.0.113.9' })],
])('%s is one line, without a stack and without a password', async (_what, environment) => {
  const env = { ...bareEnvironment(emptyFolder()), SERVICE_SECRET_KEY: 'a key for tests', ...environment() }
  const { code, stderr } = await runTycho(['serve'], env)
  expect(code).toBe(1)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(stderr).not.toMatch(/\n\s+at |hunter22/)
})

test('a desktop launch keeps its secret key, readable by the owner only', async () => {
  const folder = join(emptyFolder(), 'data')
  const env = bareEnvironment(folder)
  {
    await using _tycho = await startTycho({ env, args: ['--no-open'] })
  }
  const key = join(folder, 'secret.key')
  const before = await Bun.file(key).text()
  expect(statSync(key).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, 'tycho.db')).mode & 0o777).toBe(0o600)
  {
    await using _tycho = await startTycho({ env, args: ['--no-open'] })
  }
  expect(await Bun.file(key).text()).toBe(before)
})

test('a running install is copied, and the copy starts', async () => {
  const env = bareEnvironment(emptyFolder())
  await using tycho = await startTycho({ env })
  const setup = { username: 'ada', password: 'correct horse battery', display_name: 'Ada' }
  const made = await post(`${tycho.urls.control}/auth/setup`, setup)
  expect(made.status).toBe(201)
  const restored = emptyFolder()
  const { code } = await runTycho(['backup', join(restored, 'tycho.db')], env)
  expect(code).toBe(0)

  await using again = await startTycho({ env: bareEnvironment(restored) })
  const { username, password } = setup
  expect((await post(`${again.urls.control}/auth/login`, { username, password })).status).toBe(200)
})

test('doctor says where things are and what runs', async () => {
  const env = bareEnvironment(emptyFolder())
  await using tycho = await startTycho({ env })
  const { port } = new URL(tycho.urls.control!)
  const { code, stdout } = await runTycho(['doctor'], { ...env, SERVICE_CONTROL_PLANE_PORT: port })
  expect(stdout).toMatch(/✓ Data folder/)
  expect(stdout).toMatch(/✓ Database {2,}SQLite/)
  expect(stdout).toMatch(/✓ llamacpp {2,}built in, \d+\.\d+\.\d+ \(llama\.cpp v[\d.]+, cpu \w+/)
  expect(stdout).toContain(`answers at http://127.0.0.1:${port}`)
  expect(stdout).toContain('tycho backup')
  expect(code).toBe(0)
}, 30_000)

const post = (url: string, body: unknown) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
