import { afterEach, beforeAll, expect, test } from 'bun:test'
import { openDatabase } from '#kernel/db/open'
import { asking, graph, node, shouting } from '../support/graphs'
import { held } from '../support/hold'
import { type SecondPlane, secondPlane } from '../support/second-plane'
import { eachDatabase } from '../support/world'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
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
  /** An hour of tomorrow, half of an hour before which the clocks are set. */
  function begin(): number {
    const hour = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + DAY_MS
    clock = hour - HOUR_MS / 2
    return hour
  }
  /** A key does not grow old, as a session does when the clock is put forward. */
  let key: string

  const call = (method: string, path: string, body?: unknown) =>
    world().call(method, path, { as: 'editor', body })
  const plane = (): Promise<SecondPlane> =>
    secondPlane(world(), { now: () => clock, triggerLimits: { tickMs: TICK_MS } })
  const on = async ({ url }: SecondPlane, method: string, path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    return (await fetch(url + path, { method, headers, body: JSON.stringify(body) })).json()
  }
  const schedule = async (
    here: SecondPlane,
    cron: string,
    more: Record<string, unknown> = {},
    input: unknown = 'hi',
  ) => {
    const body = {
      agent_id: 'agent.loud',
      kind: 'schedule',
      version: '1.0.0',
      config: { cron, input },
      ...more,
    }
    return on(here, 'POST', '/triggers', body)
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
   * Moves the clocks to `time`, a full minute, and waits until whatever is due has been seen to: schedules are fired one
   * by one, the longest waiting first, and this one is the last.
   */
  async function passTo(here: SecondPlane, time: number) {
    clock = time - 1
    const last = await schedule(here, '* * * * *')
    clock = time
    await firedAt(last.id, time)
    await call('DELETE', `/triggers/${last.id}`)
  }

  beforeAll(async () => {
    key = (await call('POST', '/auth/api-keys', { name: 'clockwork' })).body.token
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
    const hour = begin()
    await using here = await plane()
    const { id, next_fire_at } = await schedule(here, '0 * * * *', {}, 'good morning')
    expect(next_fire_at).toBe(new Date(hour).toISOString())
    await passTo(here, hour - MINUTE_MS)
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
    const hour = begin()
    clock = hour
    await using here = await plane()
    await using _ = await plane()
    const { id } = await schedule(here, '* * * * *')
    const rare = await schedule(here, '*/20 * * * *')
    await using database = openDatabase(world().env.DATABASE_URL!)
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
    const hour = begin()
    const first = await plane()
    const { id } = await schedule(first, '0 * * * *')
    clock = hour
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
    const hour = begin()
    await using here = await plane()
    const { id } = await schedule(here, '0 * * * *', { enabled: false })
    await passTo(here, hour + 3 * HOUR_MS + 10 * MINUTE_MS)
    await on(here, 'PATCH', `/triggers/${id}`, { enabled: true })
    await passTo(here, clock + MINUTE_MS)
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
    const hour = begin()
    await using here = await plane()
    const gated = await schedule(here, '0 * * * *', { agent_id: 'agent.gated' })
    const loud = await schedule(here, '0 * * * *')
    clock = hour
    await firedAt(gated.id, hour)
    await firedAt(loud.id, hour)
    await passTo(here, hour + MINUTE_MS)
    expect(await runsOf(gated.id)).toEqual([])
    expect(await trigger(gated.id)).toMatchObject({
      last_fired_at: new Date(hour).toISOString(),
      last_error: expect.stringContaining('durably'),
      missed_fires: 0,
    })
    expect(await runsOf(loud.id)).toHaveLength(1)
  })

  test('an instant is marked as fired after its run, and what came meanwhile is missed', async () => {
    const hour = begin()
    const slow = held({ deltas: ['at', ' last'] }, 2)
    world().provider.answers(slow.script)
    clock = hour - 1
    await using here = await plane()
    const { id } = await schedule(here, '* * * * *', { agent_id: 'agent.slow' })
    clock = hour
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
    const hour = begin()
    const slow = held({ deltas: ['at', ' last'] }, 2)
    world().provider.answers(slow.script)
    await using here = await plane()
    const changed = await schedule(here, '0 * * * *', { agent_id: 'agent.slow' })
    clock = hour
    await slow.reached
    const config = { cron: '0 12 1 1 *' }
    const { next_fire_at } = await on(here, 'PATCH', `/triggers/${changed.id}`, { config })
    slow.letGo()
    await firedAt(changed.id, hour)
    expect(await trigger(changed.id)).toMatchObject({ next_fire_at, config })

    const again = held({ deltas: ['not', ' lost'] }, 2)
    world().provider.answers(again.script)
    const deleted = await schedule(here, '0 * * * *', { agent_id: 'agent.slow' })
    clock = hour + HOUR_MS
    await again.reached
    await call('DELETE', `/triggers/${deleted.id}`)
    again.letGo()
    await until(async () => (await runsOf(deleted.id))[0]?.status === 'completed')
  })

  test('the time is UTC, also where the clocks of the machine are put forward and back', async () => {
    const zone = process.env.TZ
    process.env.TZ = 'Europe/Berlin'
    try {
      // At 01:00 UTC on these days two o'clock becomes three, and three becomes two.
      const year = new Date().getUTCFullYear() + 1
      const days = [lastSunday(year, 2), lastSunday(year, 9)]
      clock = days[0]!
      await using here = await plane()
      const { id, next_fire_at } = await schedule(here, '30 0-2 * 3,10 0')
      expect(next_fire_at).toBe(new Date(days[0]! + 30 * MINUTE_MS).toISOString())
      for (const day of days) {
        for (const hour of [0, 1, 2]) {
          clock = day + hour * HOUR_MS + 30 * MINUTE_MS
          await firedAt(id, clock)
        }
      }
      expect(await runsOf(id)).toHaveLength(6)
    } finally {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
    }
  })
})

/** Its midnight in UTC; months count from 0. */
function lastSunday(year: number, month: number): number {
  const last = new Date(Date.UTC(year, month + 1, 0))
  return last.getTime() - last.getUTCDay() * DAY_MS
}
