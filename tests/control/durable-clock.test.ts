import { beforeAll, expect, test } from 'bun:test'
import { openDatabase } from '#kernel/db/open'
import { durableStore } from '../../src/control/durable/store'
import { graph, node, shouting } from '../support/graphs'
import { type SecondPlane, secondPlane } from '../support/second-plane'
import { eachDatabase } from '../support/world'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

// The world's own plane has no durable mode and the real time; those under test have both.
eachDatabase((world) => {
  let clock = 0
  const call = (method: string, path: string, body?: unknown) =>
    world().call(method, path, { as: 'admin', body })
  const plane = () => secondPlane(world(), { durable: true, now: () => clock, triggerLimits: { tickMs: 5 } })
  const post = async (here: SecondPlane, path: string, body: unknown) =>
    (await here.fetch(path, { method: 'POST', as: 'editor', body: JSON.stringify(body) })).json()
  const start = async (here: SecondPlane, agent: string): Promise<string> =>
    (await post(here, `/agents/${agent}/durable-runs`, { input: 'in' })).run_id
  const reaches = (id: string, status: string) =>
    until(async () => (await call('GET', `/runs/${id}`)).body.status === status)

  async function until(holds: () => Promise<boolean>) {
    for (const deadline = performance.now() + 15_000; !(await holds()); await Bun.sleep(5)) {
      if (performance.now() > deadline) throw new Error('it did not come to that')
    }
  }

  beforeAll(async () => {
    const gated = (id: string, config: Record<string, unknown>) =>
      graph(
        [node('in', 'input'), node('ask', 'human', { config }), node('out', 'output')],
        ['in.out>ask.in', 'ask.out>out.in'],
        { id },
      )
    const timed = { timeout: 3_600, onTimeout: 'default', default: 'nobody came' }
    for (const ir of [shouting({ id: 'agent.loud' }), gated('agent.gated', {}), gated('agent.timed', timed)])
      await world().call('POST', '/agents', { as: 'editor', body: { ir } })
  })

  test('a clock that is set back by a day holds up no run', async () => {
    clock = Date.now()
    const first = await plane()
    const answered = await start(first, 'agent.gated')
    await reaches(answered, 'waiting')
    await first.stop()
    // Its answer was stored by a process that died, under the time of then.
    await using database = openDatabase(world().env.DATABASE_URL!)
    await database.db.transaction().execute(async (tx) => {
      const store = durableStore(tx)
      await store.makeDue(answered, clock)
      await store.goesOn(answered, 'ask', clock)
      await store.settleGate(answered, 'ask', { json: '{"kind":"answer","value":"yes"}', ref: null })
    })
    clock -= DAY_MS
    await using here = await plane()
    await reaches(answered, 'completed')
    await reaches(await start(here, 'agent.loud'), 'completed')
  })

  test('a clock that is put forward ends the waits that are over by it', async () => {
    clock = Date.now()
    await using here = await plane()
    const id = await start(here, 'agent.timed')
    await reaches(id, 'waiting')
    clock += 2 * HOUR_MS
    await reaches(id, 'completed')
    expect((await call('GET', `/runs/${id}`)).body.output).toBe('nobody came')
  }, 20_000)

  test('a schedule follows a clock that jumps, and fires no instant twice', async () => {
    const hour = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + DAY_MS
    clock = hour - HOUR_MS / 2
    await using here = await plane()
    const config = { cron: '0 * * * *', input: 'hi' }
    const body = { agent_id: 'agent.loud', kind: 'schedule', version: '1.0.0', config }
    const { id } = await post(here, '/triggers', body)
    const trigger = async () => (await call('GET', `/triggers/${id}`)).body
    const waitsFor = (time: number) =>
      until(async () => (await trigger()).next_fire_at === new Date(time).toISOString())
    clock = hour
    await waitsFor(hour + HOUR_MS)
    // Somebody sets it to next year, and back again.
    clock = hour + 365 * DAY_MS
    await waitsFor(clock + HOUR_MS)
    clock = hour - 10 * MINUTE_MS
    await waitsFor(hour)
    clock = hour
    await waitsFor(hour + HOUR_MS)
    clock = hour + HOUR_MS
    await waitsFor(hour + 2 * HOUR_MS)
    const runs = (await call('GET', `/runs?limit=200`)).body.runs
    // Of this hour, of the one in a year, and of the next; that of this hour came twice.
    expect(runs.filter(({ trigger_id }: { trigger_id: string }) => trigger_id === id)).toHaveLength(3)
  }, 20_000)
})
