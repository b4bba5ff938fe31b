import { beforeAll, expect, test } from 'bun:test'
import { hostname } from 'node:os'
import type { Insertable } from 'kysely'
import { openDatabase } from '#kernel/db/open'
import type { Tables } from '#kernel/db/tables'
import { newId } from '#kernel/ids'
import { secondPlane } from '../support/second-plane'
import { eachDatabase } from '../support/world'

const REASON = 'interrupted: control-plane restarted while run was in-flight'

eachDatabase((world, kind) => {
  beforeAll(() => world().token('admin'))

  /** Writes a run as a dead process left it, with an open and a closed span. */
  async function left(fields: Partial<Insertable<Tables['runs']>>): Promise<string> {
    await using database = openDatabase(world().env.DATABASE_URL!)
    const id = newId()
    await database.db
      .insertInto('runs')
      .values({
        id,
        status: 'streaming',
        model: 'm',
        runtime: 'inproc',
        capture_level: 'full',
        instance_id: 'a-dead-one:1',
        created_at: 1,
        updated_at: 1,
        ...fields,
      })
      .execute()
    const span = (name: string, status: 'running' | 'ok', seq: number) => ({
      id: `${id}:${name}`,
      run_id: id,
      trace_id: 't',
      span_id: name,
      name,
      status,
      start_ns: 1_700_000_000_000_000_001n,
      end_ns: status === 'ok' ? 1_700_000_000_000_000_002n : null,
      attributes: '{}',
      executor_id: 'inproc',
      worker_host: 'x:1',
      seq,
      created_at: 1,
    })
    await database.db
      .insertInto('spans')
      .values([span('open', 'running', 0), span('closed', 'ok', 1)])
      .execute()
    return id
  }

  const record = async (id: string) => (await world().call('GET', `/runs/${id}`, { as: 'admin' })).body
  const spans = async (id: string) =>
    (await world().call('GET', `/runs/${id}/trace`, { as: 'admin' })).body.spans
  const seen = async (id: string, ageMs: number) => {
    await using database = openDatabase(world().env.DATABASE_URL!)
    const at = Date.now() - ageMs
    await database.db.insertInto('instances').values({ id, started_at: at, seen_at: at }).execute()
  }

  test('a start fails what a dead process left, closes its open spans, and touches nothing else', async () => {
    const streaming = await left({ status: 'streaming' })
    const created = await left({ status: 'created' })
    const ownerless = await left({ instance_id: null })
    const waiting = await left({ status: 'waiting', runtime: 'durable' })
    const durable = await left({ status: 'streaming', runtime: 'durable' })
    const completed = await left({ status: 'completed', output: 'done', completed_at: 5 })
    const failed = await left({ status: 'failed', error: 'before', completed_at: 5 })
    await using _ = await secondPlane(world())
    for (const id of [streaming, created, ownerless]) {
      expect(await record(id)).toMatchObject({
        status: 'failed',
        error: REASON,
        completed_at: expect.any(String),
      })
      expect(await spans(id)).toMatchObject([
        { name: 'open', status: 'err', error: REASON, end_ns: expect.any(Number) },
        { name: 'closed', status: 'ok', error: null },
      ])
    }
    expect(await record(waiting)).toMatchObject({ status: 'waiting', error: null, completed_at: null })
    expect(await record(durable)).toMatchObject({ status: 'streaming', error: null })
    expect(await record(completed)).toMatchObject({ status: 'completed', output: 'done', error: null })
    expect(await record(failed)).toMatchObject({ status: 'failed', error: 'before' })
    for (const id of [waiting, durable]) expect((await spans(id))[0].status).toBe('running')
  })

  if (kind === 'postgres') {
    test('runs of an instance that lives are left alone, until it is silent for too long', async () => {
      await seen('living:1', 1_000)
      await seen('silent:1', 31_000)
      const living = await left({ instance_id: 'living:1' })
      const silent = await left({ instance_id: 'silent:1' })
      await using _ = await secondPlane(world())
      expect((await record(living)).status).toBe('streaming')
      expect(await record(silent)).toMatchObject({ status: 'failed', error: REASON })
    })

    test('the repeated sweep finds an instance that dies later', async () => {
      // The world's own plane beats every 5 s by its real clock; this one sees the future.
      await seen('dying:1', 0)
      const dying = await left({ instance_id: 'dying:1' })
      await using early = await secondPlane(world())
      expect((await record(dying)).status).toBe('streaming')
      await early.stop()
      await using database = openDatabase(world().env.DATABASE_URL!)
      await database.db.updateTable('instances').set({ seen_at: 1 }).where('id', '=', 'dying:1').execute()
      for (const deadline = Date.now() + 15_000; (await record(dying)).status === 'streaming'; ) {
        if (Date.now() > deadline) throw new Error('the sweep did not repeat')
        await Bun.sleep(100)
      }
      expect((await record(dying)).error).toBe(REASON)
    }, 20_000)

    test('an instance at a fixed place fails the runs of its predecessor, however fresh', async () => {
      const port = 40_000 + Math.floor(Math.random() * 20_000)
      const name = `${hostname()}:${port}`
      await seen(name, 0)
      const mine = await left({ instance_id: name })
      const { env } = world()
      const fixed = { ...env, SERVICE_CONTROL_PLANE_PORT: String(port) }
      await using _ = await secondPlane({ ...world(), env: fixed })
      expect(await record(mine)).toMatchObject({ status: 'failed', error: REASON })
    })

    test('two instances share the runs of one database without failing one another', async () => {
      await world().registerModel()
      const go = Promise.withResolvers<void>()
      world().provider.answers({ deltas: ['a'], before: (index) => (index === 1 ? go.promise : undefined) })
      const running = world().call('POST', '/runs', {
        as: 'viewer',
        body: { input: 'hi', model: 'test-model', stream: false },
      })
      while (world().provider.seen.length === 0) await Bun.sleep(2)
      await using _ = await secondPlane(world())
      go.resolve()
      expect((await running).body).toMatchObject({ status: 'completed', output: 'a' })
    })
  }
})
