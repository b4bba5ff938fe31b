import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { fakeProvider } from '../support/fake-provider'
import { asking, shouting } from '../support/graphs'
import { freePort, freshPostgresDatabase } from '../support/postgres'
import { bareEnvironment, emptyFolder, startTycho, type TychoProcess } from '../support/process'

const REASON = 'interrupted: control-plane restarted while run was in-flight'
const AT_ONCE = 60

describe.each((process.env.DB ?? 'sqlite,postgres').split(','))(
  'kill -9 in the middle of sixty runs of graphs, on %s',
  (kind) => {
    const provider = fakeProvider()
    let env: Record<string, string>
    let program: TychoProcess
    let token = ''

    // biome-ignore lint/suspicious/noExplicitAny: tests assert on it field by field
    const call = async (method: string, path: string, body?: unknown): Promise<any> =>
      (
        await fetch(program.urls.control + path, {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
      ).json()
    const start = () =>
      startTycho({ args: ['serve', '--planes', 'control,inference', '--log-level', 'error'], env })
    const trace = async (id: string) =>
      (await call('GET', `/runs/${id}/trace`)).spans as {
        name: string
        status: string
        error: string | null
      }[]

    beforeAll(async () => {
      env = {
        ...bareEnvironment(emptyFolder()),
        SERVICE_SECRET_KEY: 'a key for tests',
        SERVICE_CONTROL_PLANE_PORT: String(await freePort()),
        ...(kind === 'postgres' ? { DATABASE_URL: await freshPostgresDatabase() } : {}),
      }
      program = await start()
      const account = { username: 'ada', password: 'correct horse battery' }
      ;({ token } = await call('POST', '/auth/setup', account))
      await fetch(`${program.urls.inference}/admin/models/test-model`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ binding: 'standard-compatible', model: 'm', baseUrl: provider.url }),
      })
    }, 60_000)
    afterAll(async () => {
      await program.end('SIGKILL')
      await provider.stop()
    })

    test('exactly those are failed, and no span is left open', async () => {
      const done = await Promise.all(
        Array.from({ length: 10 }, () =>
          call('POST', '/graphs/runs', { ir: shouting(), input: 'x', stream: false }),
        ),
      )
      expect(done.map(({ output }) => output)).toEqual(done.map(() => 'X'))

      const standing = Promise.withResolvers<void>()
      let arrived = 0
      provider.answers({
        deltas: ['one', 'two'],
        before(index) {
          if (index < 2) return
          if (++arrived === AT_ONCE) standing.resolve()
          return new Promise(() => {})
        },
      })
      const open = Array.from({ length: AT_ONCE }, () =>
        call('POST', '/graphs/runs', { ir: asking(), input: 'x', stream: false }).catch(() => null),
      )
      await standing.promise
      const { runs: going } = await call('GET', `/runs?limit=${AT_ONCE}`)
      // Reading one writes what waits of all: their spans stand open in the database.
      expect((await trace(going[0].id)).filter(({ status }) => status === 'running')).not.toEqual([])

      await program.end('SIGKILL')
      await Promise.all(open)
      program = await start()

      const { runs } = await call('GET', '/runs?limit=200')
      const failed = runs.filter(({ status }: { status: string }) => status === 'failed')
      expect(runs).toHaveLength(AT_ONCE + done.length)
      expect(failed).toHaveLength(AT_ONCE)
      expect(new Set(failed.map(({ error }: { error: string }) => error))).toEqual(new Set([REASON]))
      expect(failed.map(({ id }: { id: string }) => id).sort()).toEqual(
        going.map(({ id }: { id: string }) => id).sort(),
      )
      for (const { id } of failed) {
        const spans = await trace(id)
        expect(spans.length).toBeGreaterThan(0)
        expect(spans.filter(({ status }) => status === 'running')).toEqual([])
        expect(spans.find(({ name }) => name === id)).toMatchObject({ status: 'err', error: REASON })
      }
      for (const { runId } of done) {
        expect((await trace(runId)).every(({ status }) => status === 'ok')).toBe(true)
      }
    }, 90_000)
  },
)
