import { afterEach, describe, expect, test } from 'bun:test'
import { Client } from 'pg'
import { openDatabase } from '#kernel/db/open'
import { newId } from '#kernel/ids'
import { readiness } from '../../src/control/health/readiness'
import { freshPostgresDatabase } from '../support/postgres'
import { eachDatabase, openWorld, type World } from '../support/world'

describe('readiness', () => {
  let plane: ReturnType<typeof inferencePlane>
  const worldWith = (more: Record<string, string> = {}) =>
    openWorld({ planes: ['control'], env: { SERVICE_INFERENCE_PLANE_URL: `${plane.url}/v1`, ...more } })
  afterEach(() => plane?.stop())

  test('with a database and an inference plane it is ready, for anybody who asks', async () => {
    plane = inferencePlane()
    await using world = await worldWith()
    const { status, body } = await world.call('GET', '/readyz')
    expect({ status, body }).toEqual({ status: 200, body: { status: 'ready', mcp: { servers: [] } } })
    expect(plane.asked).toEqual(['/v1/models'])
  })

  test('an inference plane that refuses is named, until it answers again', async () => {
    plane = inferencePlane()
    plane.answer = () => new Response('no', { status: 503 })
    await using world = await worldWith()
    const { status, body } = await world.call('GET', '/readyz')
    expect([status, body]).toEqual([
      503,
      { status: 'not-ready', reason: expect.stringMatching(/^inference plane: /) },
    ])
    plane.answer = () => Response.json({ data: [] })
    await untilStatus(world, 200)
  })

  test('an inference plane that is gone is named', async () => {
    plane = inferencePlane()
    await using world = await worldWith()
    await plane.stop()
    const { status, body } = await world.call('GET', '/readyz')
    expect([status, body.reason]).toEqual([503, 'inference plane: not reachable'])
  })

  test('a hundred questions at once are one question to the inference plane', async () => {
    plane = inferencePlane()
    await using world = await worldWith()
    const answers = await Promise.all(Array.from({ length: 100 }, () => world.call('GET', '/readyz')))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(plane.asked).toHaveLength(1)
  })

  test('secrets that a restart loses are warned of', async () => {
    plane = inferencePlane()
    await using world = await worldWith({ SERVICE_SECRET_KEY: '' })
    const { status, body } = await world.call('GET', '/readyz')
    expect([status, body.warnings]).toEqual([200, [expect.stringContaining('SERVICE_SECRET_KEY is not set')]])
  })

  test('durable runs that nobody takes are warned of', async () => {
    plane = inferencePlane()
    await using world = await worldWith({ SERVICE_DURABLE: 'true' })
    const id = newId('bare', 1)
    await using database = openDatabase(world.env.DATABASE_URL!)
    const at = { created_at: 1, updated_at: 1 }
    await database.db
      .insertInto('runs')
      .values({ id, status: 'created', model: '', runtime: 'durable', capture_level: 'off', ...at })
      .execute()
    // Of a release that this one does not know.
    const due = { state: 'queued', wake_at: Date.now(), interp_version: 999 } as const
    await database.db
      .insertInto('durable_runs')
      .values({ run_id: id, epoch: 0, ...due })
      .execute()
    expect((await world.call('GET', '/readyz')).body.warnings).toBeUndefined()
    await database.db.updateTable('durable_runs').set({ wake_at: 1 }).execute()
    for (const deadline = Date.now() + 5_000; ; await Bun.sleep(50)) {
      const { status, body } = await world.call('GET', '/readyz')
      expect(status).toBe(200)
      if (body.warnings)
        return expect(body.warnings).toEqual([expect.stringContaining('for a process to take')])
      if (Date.now() > deadline) throw new Error('nobody was warned')
    }
  })

  test('secrets sealed with another key are warned of', async () => {
    plane = inferencePlane()
    await using world = await worldWith()
    await world.call('PATCH', '/settings', { as: 'admin', body: { 'telemetry.otlp_headers': { A: 'b' } } })
    world.env.SERVICE_SECRET_KEY = 'another'
    await world.restart()
    const { status, body } = await world.call('GET', '/readyz')
    expect([status, body.warnings]).toEqual([200, [expect.stringContaining('cannot be read')]])
  })

  test.skipIf(process.env.DB === 'sqlite')(
    'a database that lets nobody in is named, until it does again',
    async () => {
      plane = inferencePlane()
      const url = await freshPostgresDatabase()
      await using world = await worldWith({ DATABASE_URL: url })
      expect((await world.call('GET', '/readyz')).status).toBe(200)
      await letIn(url, false)
      expect(await untilStatus(world, 503)).toEqual({
        status: 'not-ready',
        reason: 'database: not reachable',
      })
      await letIn(url, true)
      await untilStatus(world, 200)
    },
  )
})

describe('probing', () => {
  const up = async () => {}
  const down = () => Promise.reject(new Error('password of tycho at 10.0.0.7 is wrong'))

  test('the first dependency that is down is named, and nothing of why', async () => {
    const probes = readiness({ dependencies: { database: down, 'inference plane': down }, now: () => 0 })
    expect(await probes.downReason()).toBe('database: not reachable')
  })

  test('one that hangs is given up after its time, and not asked again before it ends', async () => {
    const hung = Promise.withResolvers<void>()
    let asked = 0
    let time = 0
    const probes = readiness({
      dependencies: {
        database() {
          asked++
          return hung.promise
        },
      },
      now: () => time,
      timeoutMs: 5,
    })
    for (; time < 5_000; time += 1_000)
      expect(await probes.downReason()).toBe('database: no answer within 0.005 s')
    expect(asked).toBe(1)
    hung.resolve()
    await hung.promise
    expect(await probes.downReason()).toBeNull()
  })

  test('it asks at most once a second, however often it is asked', async () => {
    let asked = 0
    let time = 0
    const probes = readiness({
      dependencies: {
        database: async () => {
          asked++
        },
        'inference plane': up,
      },
      now: () => time,
    })
    for (; time < 3_000; time += 100) await probes.downReason()
    expect(asked).toBe(3)
  })
})

eachDatabase((world) => {
  test('stats count what the caller may see: own and ownerless, or everything for an admin', async () => {
    const stats = async (as: 'admin' | 'editor' | 'viewer') =>
      (await world().call('GET', '/stats', { as })).body
    expect(await stats('viewer')).toEqual({ runs: 0, sessions: 0, agents: 0 })
    const [viewer, editor] = await Promise.all([idOf(world(), 'viewer'), idOf(world(), 'editor')])
    await addRuns(world(), [viewer, viewer, editor, null])
    await addSessions(world(), [viewer, editor, editor, null, null])
    expect(await stats('viewer')).toEqual({ runs: 3, sessions: 3, agents: 0 })
    expect(await stats('editor')).toEqual({ runs: 2, sessions: 4, agents: 0 })
    expect(await stats('admin')).toEqual({ runs: 4, sessions: 5, agents: 0 })
  })

  test('stats need a bearer', async () => {
    const { status, body } = await world().call('GET', '/stats')
    expect([status, body.error.code]).toEqual([401, 'unauthorized'])
  })
})

/** An inference plane on another machine. */
function inferencePlane() {
  const plane = {
    asked: [] as string[],
    answer: (): Response => Response.json({ object: 'list', data: [] }),
    url: '',
    stop: () => server.stop(true),
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      plane.asked.push(new URL(request.url).pathname)
      return plane.answer()
    },
  })
  plane.url = `http://127.0.0.1:${server.port}`
  return plane
}

/** An answer may be a second old; the deadline is the test's own. */
async function untilStatus(world: World, wanted: number): Promise<unknown> {
  for (;;) {
    const { status, body } = await world.call('GET', '/readyz')
    if (status === wanted) return body
    await Bun.sleep(20)
  }
}

/** Opens or closes a Postgres database; closing cuts who is in. */
async function letIn(url: string, allowed: boolean) {
  const name = new URL(url).pathname.slice(1)
  const client = new Client({ connectionString: url.replace(/\/\w+$/, '/postgres') })
  await client.connect()
  await client.query(`alter database ${name} with allow_connections ${allowed}`)
  if (!allowed) {
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  }
  await client.end()
}

const idOf = async (world: World, as: 'viewer' | 'editor'): Promise<string> =>
  (await world.call('GET', '/auth/me', { as })).body.user.id

const times = { created_at: 1, updated_at: 1 }

async function addRuns(world: World, owners: (string | null)[]) {
  await using database = openDatabase(world.env.DATABASE_URL!)
  const rows = owners.map((user_id) => ({
    id: newId(),
    status: 'completed' as const,
    model: 'm',
    user_id,
    runtime: 'inproc' as const,
    capture_level: 'full' as const,
    ...EMPTY_RUN,
    ...times,
  }))
  await database.db.insertInto('runs').values(rows).execute()
}

const EMPTY_RUN = {
  session_id: null,
  params: null,
  graph_id: null,
  graph_version: null,
  content_hash: null,
  trigger_id: null,
  output: null,
  awaiting_node: null,
  error: null,
  instance_id: null,
  completed_at: null,
}

async function addSessions(world: World, owners: (string | null)[]) {
  await using database = openDatabase(world.env.DATABASE_URL!)
  const rows = owners.map((user_id) => ({ id: newId(), user_id, metadata: null, ...times }))
  await database.db.insertInto('sessions').values(rows).execute()
}
