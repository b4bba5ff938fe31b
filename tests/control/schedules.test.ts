import { afterEach, beforeAll, expect, test } from 'bun:test'
import { openDatabase } from '#kernel/db/open'
import { asking, graph, node, shouting } from '../support/graphs'
import { held } from '../support/hold'
import { type SecondPlane, secondPlane } from '../support/second-plane'
import { eachDatabase } from '../support/world'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const TICK_MS = 5

interface Run {
  id: string
  trigger_id: string | null
  status: string
  output: string | null
}

eachDatabase((world) => {
  /** What the clocks of the planes under test show. The world's own plane keeps to the real time, which lies before. */
  let clock = 0
  const nextHour = () => Math.ceil((Date.now() + MINUTE_MS) / HOUR_MS) * HOUR_MS

  const call = (method: string, path: string, body?: unknown) =>
    world().call(method, path, { as: 'editor', body })
  const plane = (): Promise<SecondPlane> =>
    secondPlane(world(), { now: () => clock, triggerLimits: { tickMs: TICK_MS } })
  const schedule = async (cron: string, more: Record<string, unknown> = {}, input: unknown = 'hi') => {
    const body = {
      agent_id: 'agent.loud',
      kind: 'schedule',
      version: '1.0.0',
      config: { cron, input },
      ...more,
    }
    return (await call('POST', '/triggers', body)).body
  }
  const trigger = async (id: string) => (await call('GET', `/triggers/${id}`)).body
  const runsOf = async (id: string): Promise<Run[]> =>
    (await world().call('GET', '/runs?limit=200', { as: 'admin' })).body.runs.filter(
      ({ trigger_id }: Run) => trigger_id === id,
    )
  const firedAt = (id: string, time: number) =>
    until(async () => (await trigger(id)).last_fired_at === new Date(time).toISOString())

  async function until(holds: () => Promise<boolean>) {
    for (const deadline = performance.now() + 10_000; !(await holds()); ) {
      if (performance.now() > deadline) throw new Error('it did not come to that')
      await Bun.sleep(2)
    }
  }

  /**
   * Moves the clocks to `time`, a full minute, and waits until whatever was due before it has been seen to: schedules
   * are fired one by one, the longest waiting first, and this one is the last.
   */
  async function passTo(time: number) {
    clock = time - 1
    const last = await schedule('* * * * *')
    await until(async () => (await trigger(last.id)).last_fired_at !== null)
    await call('DELETE', `/triggers/${last.id}`)
  }

  beforeAll(async () => {
    await world().registerModel()
    const gated = graph(
      [node('in', 'input'), node('ask', 'human'), node('out', 'output')],
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

  test('a schedule fires at its instant, not before, with its input', async () => {
    const hour = nextHour()
    const { id, next_fire_at } = await schedule('0 * * * *', {}, 'good morning')
    expect(next_fire_at).toBe(new Date(hour).toISOString())
    clock = hour - 1
    await using _ = await plane()
    await passTo(hour - MINUTE_MS)
    clock = hour - 1
    expect(await runsOf(id)).toEqual([])
    clock = hour
    await firedAt(id, hour)
    expect(await runsOf(id)).toMatchObject([{ status: 'completed', output: 'GOOD MORNING' }])
    expect(await trigger(id)).toMatchObject({
      next_fire_at: new Date(hour + HOUR_MS).toISOString(),
      missed_fires: 0,
      last_error: null,
    })
  })

  test('over an hour two instances fire each instant once', async () => {
    const hour = nextHour()
    clock = hour
    const { id } = await schedule('* * * * *')
    const rare = await schedule('*/20 * * * *')
    await using database = openDatabase(world().env.DATABASE_URL!)
    await database.db
      .updateTable('triggers')
      .set({ next_fire_at: hour + MINUTE_MS })
      .where('id', '=', id)
      .execute()
    await database.db
      .updateTable('triggers')
      .set({ next_fire_at: hour + 20 * MINUTE_MS })
      .where('id', '=', rare.id)
      .execute()
    await using _ = await plane()
    await using __ = await plane()
    const slots = async (of: string) =>
      (
        await database.db
          .selectFrom('trigger_fires')
          .select('slot_utc')
          .where('trigger_id', '=', of)
          .orderBy('slot_utc')
          .execute()
      ).map(({ slot_utc }) => slot_utc)
    const expected = Array.from({ length: 60 }, (_unused, index) => hour + (index + 1) * MINUTE_MS)
    for (const slot of expected) {
      clock = slot + 137
      await until(async () => {
        const row = await database.db
          .selectFrom('triggers')
          .selectAll()
          .where('next_fire_at', '<=', clock)
          .executeTakeFirst()
        return row === undefined
      })
    }
    expect(await slots(id)).toEqual(expected)
    expect(await slots(rare.id)).toEqual(expected.filter((slot) => slot % (20 * MINUTE_MS) === 0))
    expect(await runsOf(id)).toHaveLength(60)
    expect(await runsOf(rare.id)).toHaveLength(3)
    expect((await trigger(id)).missed_fires).toBe(0)
  }, 30_000)

  test('after a downtime the last instant is fired, late, and those before it are counted', async () => {
    const hour = nextHour()
    const { id } = await schedule('0 * * * *')
    clock = hour
    const first = await plane()
    await firedAt(id, hour)
    await first.stop()
    clock = hour + 4 * HOUR_MS + 20 * MINUTE_MS
    await using _ = await plane()
    await firedAt(id, clock)
    expect(await runsOf(id)).toHaveLength(2)
    expect(await trigger(id)).toMatchObject({
      missed_fires: 3,
      next_fire_at: new Date(hour + 5 * HOUR_MS).toISOString(),
    })
  })

  test('while it is off nothing is fired, and nothing is made up for when it is on again', async () => {
    const hour = nextHour()
    const { id } = await schedule('0 * * * *', { enabled: false })
    clock = hour + 3 * HOUR_MS + 10 * MINUTE_MS
    await using here = await plane()
    await passTo(clock)
    await here.fetch(`/triggers/${id}`, { method: 'PATCH', as: 'editor', body: '{"enabled": true}' })
    await passTo(clock + 1 + MINUTE_MS)
    expect(await runsOf(id)).toEqual([])
    expect(await trigger(id)).toMatchObject({
      last_fired_at: null,
      missed_fires: 0,
      next_fire_at: new Date(hour + 4 * HOUR_MS).toISOString(),
    })
    clock = hour + 4 * HOUR_MS
    await firedAt(id, clock)
  })

  test('a fire that fails is not tried again, says why, and does not keep others from theirs', async () => {
    const hour = nextHour()
    const gated = await schedule('0 * * * *', { agent_id: 'agent.gated' })
    const loud = await schedule('0 * * * *')
    clock = hour
    await using _ = await plane()
    await firedAt(gated.id, hour)
    await firedAt(loud.id, hour)
    await passTo(hour + MINUTE_MS)
    expect(await runsOf(gated.id)).toEqual([])
    expect(await trigger(gated.id)).toMatchObject({
      last_fired_at: new Date(hour).toISOString(),
      last_error: expect.stringContaining('durably'),
      missed_fires: 0,
    })
    expect(await runsOf(loud.id)).toHaveLength(1)
  })

  test('an instant is marked as fired after its run, and what came meanwhile is missed', async () => {
    const hour = nextHour()
    const slow = held({ deltas: ['at', ' last'] }, 2)
    world().provider.answers(slow.script)
    const { id } = await schedule('* * * * *', { agent_id: 'agent.slow' })
    await using database = openDatabase(world().env.DATABASE_URL!)
    await database.db.updateTable('triggers').set({ next_fire_at: hour }).where('id', '=', id).execute()
    clock = hour
    await using _ = await plane()
    await slow.reached
    expect((await trigger(id)).last_fired_at).toBe(null)
    clock = hour + 2 * MINUTE_MS + 30_000
    slow.letGo()
    await firedAt(id, clock)
    expect(await runsOf(id)).toMatchObject([{ status: 'completed', output: 'at last' }])
    expect(await trigger(id)).toMatchObject({
      missed_fires: 2,
      next_fire_at: new Date(hour + 3 * MINUTE_MS).toISOString(),
    })
  })

  test('a change during a fire keeps its own next instant; a deletion during one ends nothing', async () => {
    const hour = nextHour()
    const slow = held({ deltas: ['at', ' last'] }, 2)
    world().provider.answers(slow.script)
    const changed = await schedule('0 * * * *', { agent_id: 'agent.slow' })
    clock = hour
    await using _ = await plane()
    await slow.reached
    const config = { cron: '0 12 1 1 *' }
    const { next_fire_at } = (await call('PATCH', `/triggers/${changed.id}`, { config })).body
    slow.letGo()
    await firedAt(changed.id, hour)
    expect(await trigger(changed.id)).toMatchObject({ next_fire_at, config })

    const again = held({ deltas: ['not', ' lost'] }, 2)
    world().provider.answers(again.script)
    const deleted = await schedule('0 * * * *', { agent_id: 'agent.slow' })
    await again.reached
    await call('DELETE', `/triggers/${deleted.id}`)
    again.letGo()
    await until(async () => (await runsOf(deleted.id))[0]?.status === 'completed')
  })

  test('the time is UTC, also where the clocks of the machine are put forward and back', async () => {
    const zone = process.env.TZ
    process.env.TZ = 'Europe/Berlin'
    try {
      // At 01:00 UTC on the 28th of March 2027 two o'clock becomes three; on the 31st of October three becomes two.
      const instants = [
        Date.UTC(2027, 2, 28, 1, 30),
        Date.UTC(2027, 9, 31, 0, 30),
        Date.UTC(2027, 9, 31, 1, 30),
      ]
      const { id, next_fire_at } = await schedule('30 0-1 28-31 3,10 *')
      expect(next_fire_at).toBe('2027-03-28T00:30:00.000Z')
      const at = [...instants]
      clock = Date.UTC(2027, 2, 28, 0, 30)
      await using _ = await plane()
      await firedAt(id, clock)
      for (clock of at) await firedAt(id, clock)
      expect(await runsOf(id)).toHaveLength(4)
      expect((await trigger(id)).next_fire_at).toBe('2028-03-28T00:30:00.000Z')
    } finally {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
    }
  })
})
