import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FakeProvider, fakeProvider } from '../support/fake-provider'
import { freePort, freshPostgresDatabase } from '../support/postgres'
import { events } from '../support/world'

const REASON = 'interrupted: control-plane restarted while run was in-flight'

/** The real program as a child process, over a folder and a database that outlive it. */
async function serve(env: Record<string, string>) {
  const child = Bun.spawn([process.execPath, 'src/main.ts', 'serve', '--planes', 'control,inference'], {
    env: { ...process.env, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const urls: Record<string, string> = {}
  let output = ''
  const decoder = new TextDecoder()
  for await (const bytes of child.stdout) {
    output += decoder.decode(bytes)
    for (const [, plane, url] of output.matchAll(/^(\w+) (http\S+)\n/gm)) urls[plane!] = url!
    if (urls.control && urls.inference) break
  }
  if (!urls.control) throw new Error(`it did not start: ${await new Response(child.stderr).text()}`)
  for (const deadline = Date.now() + 10_000; ; await Bun.sleep(20)) {
    const answer = await fetch(`${urls.control}/readyz`).catch(() => null)
    if (answer?.status === 200) break
    if (Date.now() > deadline) throw new Error(`it did not become ready: ${await answer?.text()}`)
  }
  return { child, control: urls.control, inference: urls.inference! }
}

describe.each((process.env.DB ?? 'sqlite,postgres').split(','))(
  'kill -9 in the middle of a run, on %s',
  (kind) => {
    let dir: string
    let env: Record<string, string>
    let provider: FakeProvider
    let program: Awaited<ReturnType<typeof serve>>
    let token: string

    const fetchFrom = (base: string, method: string, path: string, body?: unknown) =>
      fetch(base + path, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    // biome-ignore lint/suspicious/noExplicitAny: tests assert on it field by field
    const call = async (method: string, path: string, body?: unknown): Promise<any> =>
      (await fetchFrom(program.control, method, path, body)).json()
    const say = (body: Record<string, unknown>) => call('POST', '/runs', { input: 'hi', model: 'm', ...body })
    const statuses = async (id: string) =>
      (await call('GET', `/runs/${id}/trace`)).spans.map(({ status }: { status: string }) => status)

    beforeAll(async () => {
      dir = mkdtempSync(join(tmpdir(), 'tycho-crash-'))
      provider = fakeProvider()
      env = {
        SERVICE_DATA_DIR: dir,
        SERVICE_SECRET_KEY: 'a key for tests',
        SERVICE_INFERENCE_PLANE_PORT: '0',
        // A fixed place: the restarted process must know its predecessor.
        SERVICE_CONTROL_PLANE_PORT: String(await freePort()),
        ...(kind === 'postgres' ? { DATABASE_URL: await freshPostgresDatabase() } : {}),
      }
      program = await serve(env)
      const password = 'correct horse battery'
      ;({ token } = await call('POST', '/auth/setup', { username: 'ada', password, display_name: 'Ada' }))
      await register(provider)
    }, 60_000)
    const register = ({ url: baseUrl }: FakeProvider) =>
      fetchFrom(program.inference, 'PUT', '/admin/models/m', {
        binding: 'standard-compatible',
        model: 'fake-model',
        baseUrl,
      })
    afterAll(async () => {
      program.child.kill('SIGKILL')
      await program.child.exited
      await provider.stop()
      rmSync(dir, { recursive: true, force: true })
    })

    test('the run is failed after the restart, its spans are closed, and nothing else is lost', async () => {
      provider.answers({ deltas: ['All ', 'done.'] })
      const finished = await say({ stream: false, session_id: 'talk' })
      expect(finished).toMatchObject({ status: 'completed', output: 'All done.' })
      expect(await statuses(finished.runId)).toEqual(['ok', 'ok', 'ok'])
      const session = await call('GET', '/sessions/talk')

      provider.answers({
        deltas: ['Not ', 'yet', '…'],
        before: (index) => (index === 3 ? new Promise(() => {}) : undefined),
      })
      const chat = { input: 'hi', model: 'm', session_id: 'talk' }
      const streaming = await fetchFrom(program.control, 'POST', '/runs', chat)
      let killed = ''
      for await (const { data } of events(streaming)) {
        const { runId, delta } = JSON.parse(data)
        killed = runId
        if (delta === 'yet') break
      }
      expect((await call('GET', `/runs/${killed}`)).status).toBe('streaming')
      // Reading writes what waits: the open spans are in the database when the process dies.
      expect(await statuses(killed)).toEqual(['running', 'running', 'running'])
      // A run whose model has not even answered yet.
      provider.on('/v1/chat/completions', () => new Promise<Response>(() => {}))
      const unanswered = say({ stream: false }).catch(() => null)
      let created = ''
      while (created === '' || created === killed) created = (await call('GET', '/runs?limit=1')).runs[0].id

      program.child.kill('SIGKILL')
      await program.child.exited
      await unanswered
      program = await serve(env)

      for (const id of [killed, created]) {
        expect(await call('GET', `/runs/${id}`)).toMatchObject({
          status: 'failed',
          error: REASON,
          output: null,
          completed_at: expect.any(String),
        })
        expect((await statuses(id)).filter((status: string) => status !== 'err')).toEqual([])
      }
      expect((await call('GET', `/runs/${killed}/trace`)).spans).toMatchObject([
        { name: killed, error: REASON, end_ns: expect.any(Number) },
        { name: 'llm', error: REASON, end_ns: expect.any(Number) },
        { name: 'model.generate', error: REASON, end_ns: expect.any(Number) },
      ])
      expect(await call('GET', `/runs/${finished.runId}`)).toMatchObject({
        status: 'completed',
        output: 'All done.',
      })
      expect(await statuses(finished.runId)).toEqual(['ok', 'ok', 'ok'])
      expect(await call('GET', '/sessions/talk')).toEqual(session)
      expect((await call('GET', '/auth/me')).user.username).toBe('ada')
    }, 60_000)

    test('and the restarted process runs on as before', async () => {
      await using fresh = fakeProvider()
      await register(fresh)
      fresh.answers({ deltas: ['Back.'] })
      expect(await say({ stream: false, session_id: 'talk' })).toMatchObject({ output: 'Back.' })
      const { messages } = await call('GET', '/sessions/talk')
      expect(messages.map(({ position }: { position: number }) => position)).toEqual([0, 1, 2, 3])
    }, 30_000)
  },
)
