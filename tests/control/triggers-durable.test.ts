import { afterEach, beforeAll, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { openDatabase } from '#kernel/db/open'
import { asking, graph, node, shouting } from '../support/graphs'
import { held } from '../support/hold'
import { type SecondPlane, secondPlane } from '../support/second-plane'
import { eachDatabase } from '../support/world'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const SECRET = 'a secret'

// The world's own plane has no durable mode and the real time; those under test have both.
eachDatabase((world, kind) => {
  let clock = 0
  /** An hour of tomorrow, half of an hour before which the clocks are set. */
  function begin(): number {
    const hour = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + 24 * HOUR_MS
    clock = hour - HOUR_MS / 2
    return hour
  }

  const call = (method: string, path: string, body?: unknown) =>
    world().call(method, path, { as: 'editor', body })
  const plane = (): Promise<SecondPlane> =>
    secondPlane(world(), { durable: true, now: () => clock, triggerLimits: { tickMs: 5 } })
  const create = async (agentId: string, kind: string, config: unknown): Promise<string> =>
    (await call('POST', '/triggers', { agent_id: agentId, kind, version: '1.0.0', config })).body.id
  const webhook = (agentId: string) => create(agentId, 'webhook', { secret: SECRET })
  const schedule = async (here: SecondPlane, agentId: string, cron: string): Promise<string> => {
    const body = { agent_id: agentId, kind: 'schedule', version: '1.0.0', config: { cron, input: 'hi' } }
    const made = await here.fetch('/triggers', { method: 'POST', as: 'editor', body: JSON.stringify(body) })
    return (await made.json()).id
  }
  const trigger = async (id: string) => (await call('GET', `/triggers/${id}`)).body
  const record = async (id: string) => (await call('GET', `/runs/${id}`)).body
  const runsOf = async (id: string) =>
    (await world().call('GET', '/runs?limit=200', { as: 'admin' })).body.runs.filter(
      ({ trigger_id }: { trigger_id: string }) => trigger_id === id,
    )
  const deliver = async ({ url }: SecondPlane, id: string, body: string) => {
    const signature = createHmac('sha256', SECRET).update(body).digest('hex')
    const headers = { 'x-service-signature': signature }
    const answer = await fetch(`${url}/hooks/${id}`, { method: 'POST', headers, body })
    return { status: answer.status, body: await answer.json() }
  }

  async function until(holds: () => Promise<boolean>) {
    for (const deadline = performance.now() + 15_000; !(await holds()); ) {
      if (performance.now() > deadline) throw new Error('it did not come to that')
      await Bun.sleep(5)
    }
  }

  beforeAll(async () => {
    await world().registerModel()
    const gated = graph(
      [node('in', 'input'), node('ask', 'human', { config: { prompt: 'Well?' } }), node('out', 'output')],
      ['in.out>ask.in', 'ask.out>out.in'],
      { id: 'agent.gated' },
    )
    for (const ir of [shouting({ id: 'agent.loud' }), asking({ id: 'agent.slow' }), gated]) {
      await call('POST', '/agents', { ir })
    }
  })

  afterEach(async () => {
    for (const { id } of (await call('GET', '/triggers?limit=200')).body.triggers) {
      await call('DELETE', `/triggers/${id}`)
    }
  })

  test('a delivery is a durable run, and is answered with its end', async () => {
    clock = Date.now()
    await using here = await plane()
    const id = await webhook('agent.loud')
    const { status, body } = await deliver(here, id, '"hi"')
    expect([status, body]).toEqual([202, { runId: expect.any(String), status: 'completed', output: 'HI' }])
    expect(await record(body.runId)).toMatchObject({ trigger_id: id, user_id: null, graph_version: '1.0.0' })
    await using database = openDatabase(world().env.DATABASE_URL!)
    const row = await database.db.selectFrom('runs').select('runtime').where('id', '=', body.runId).execute()
    expect(row).toEqual([{ runtime: 'durable' }])
    expect((await deliver(here, id, '1')).body).toMatchObject({ status: 'failed', error: expect.any(String) })
  })

  test('one whose run waits for a person says so, and the run ends when it is answered', async () => {
    clock = Date.now()
    await using here = await plane()
    const { status, body } = await deliver(here, await webhook('agent.gated'), '"hi"')
    expect([status, body]).toEqual([202, { runId: expect.any(String), status: 'waiting' }])
    const answer = await here.fetch(`/runs/${body.runId}/resume`, {
      method: 'POST',
      as: 'editor',
      body: JSON.stringify({ input: 'yes' }),
    })
    expect(answer.status).toBe(202)
    await until(async () => (await record(body.runId)).status === 'completed')
    expect(await record(body.runId)).toMatchObject({ output: 'yes' })
  })

  test('an instant is marked as fired before its run, and no schedule waits for the run of another', async () => {
    const hour = begin()
    const slow = held({ deltas: ['at', ' last'] }, 2)
    world().provider.answers(slow.script)
    await using here = await plane()
    const first = await schedule(here, 'agent.slow', '0 * * * *')
    const second = await schedule(here, 'agent.loud', '0 * * * *')
    clock = hour + 137
    await slow.reached
    await until(async () => (await runsOf(second))[0]?.status === 'completed')
    const [run] = await runsOf(first)
    expect(run.status).toBe('streaming')
    expect(await trigger(first)).toMatchObject({
      last_fired_at: new Date(hour).toISOString(),
      next_fire_at: new Date(hour + HOUR_MS).toISOString(),
      missed_fires: 0,
      last_error: null,
    })
    slow.letGo()
    await until(async () => (await record(run.id)).status === 'completed')
    expect(await record(run.id)).toMatchObject({ output: 'at last', trigger_id: first })
  })

  test('after a downtime the last instant is fired under its own time, and those before it are counted', async () => {
    const hour = begin()
    const before = await plane()
    const id = await schedule(before, 'agent.loud', '0 * * * *')
    await before.stop()
    clock = hour + 3 * HOUR_MS + 20 * MINUTE_MS
    await using _ = await plane()
    await until(async () => (await runsOf(id))[0]?.status === 'completed')
    expect(await runsOf(id)).toHaveLength(1)
    expect(await trigger(id)).toMatchObject({
      last_fired_at: new Date(hour + 3 * HOUR_MS).toISOString(),
      missed_fires: 3,
    })
  })

  test('an instant whose run could not be stored is nobody’s, and is fired by whoever comes next', async () => {
    const hour = begin()
    const { versions } = (await call('POST', '/agents', { ir: shouting({ id: 'agent.once', name: 'Once' }) }))
      .body
    await using database = openDatabase(world().env.DATABASE_URL!)
    const { db } = database
    const first = await plane()
    const id = await schedule(first, 'agent.once', '0 * * * *')
    await sql`alter table durable_runs rename to out_of_reach`.execute(db)
    clock = hour
    // What a run is made of is written first, and that it can.
    const graphs = db.selectFrom('run_graphs').select('content_hash')
    await until(
      async () => (await graphs.where('content_hash', '=', versions[0].content_hash).execute()).length === 1,
    )
    await first.stop()
    await sql`alter table out_of_reach rename to durable_runs`.execute(db)
    expect(await trigger(id)).toMatchObject({ last_fired_at: null, last_error: null })

    await using _ = await plane()
    await until(async () => (await runsOf(id))[0]?.status === 'completed')
    expect(await runsOf(id)).toHaveLength(1)
    expect(await trigger(id)).toMatchObject({ last_fired_at: new Date(hour).toISOString(), missed_fires: 0 })
  })

  test('a fire that is refused is over, and says why', async () => {
    const hour = begin()
    const missing = graph(
      [
        node('in', 'input'),
        node('find', 'rag', { config: { source: 'rag_nowhere' } }),
        node('out', 'output'),
      ],
      ['in.out>find.in', 'find.out>out.in'],
      { id: 'agent.missing' },
    )
    await call('POST', '/agents', { ir: missing })
    await using here = await plane()
    const id = await schedule(here, 'agent.missing', '0 * * * *')
    clock = hour
    await until(async () => (await trigger(id)).last_fired_at !== null)
    expect(await trigger(id)).toMatchObject({
      last_fired_at: new Date(hour).toISOString(),
      next_fire_at: new Date(hour + HOUR_MS).toISOString(),
      last_error: expect.stringContaining('rag_nowhere'),
    })
    expect(await runsOf(id)).toEqual([])
  })

  if (kind === 'postgres') {
    test('two instances fire each instant once', async () => {
      const hour = begin()
      clock = hour
      await using here = await plane()
      await using _ = await plane()
      const id = await schedule(here, 'agent.loud', '* * * * *')
      await using database = openDatabase(world().env.DATABASE_URL!)
      const { db } = database
      for (let minute = 1; minute <= 60; minute++) {
        clock = hour + minute * MINUTE_MS + 137
        const due = () => db.selectFrom('triggers').select('id').where('next_fire_at', '<=', clock).execute()
        await until(async () => (await due()).length === 0)
      }
      await until(async () => (await runsOf(id)).length === 60)
      const slots = await db
        .selectFrom('trigger_fires')
        .select('slot_utc')
        .where('trigger_id', '=', id)
        .execute()
      expect(slots).toHaveLength(60)
      expect(await trigger(id)).toMatchObject({
        last_fired_at: new Date(hour + HOUR_MS).toISOString(),
        missed_fires: 0,
      })
    }, 30_000)
  }
})
