import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  emptySlots,
  type Lifecycle,
  type SlotEffect,
  type SlotEvent,
  type SlotState,
  step,
} from '#engines/slots'
import { type Move, SlotWorld } from './slot-world'

const MODELS = 5
const RUNS = 3_000

const lifecycle = fc.record({
  keepWarm: fc.boolean(),
  idleTimeoutSec: fc.integer({ min: 0, max: 60 }),
  priority: fc.integer({ min: 0, max: 2 }),
})
const pick = fc.nat({ max: 9 })
const id = fc.nat({ max: MODELS - 1 })
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('request' as const), id }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('leave' as const), pick }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('load' as const),
      pick,
      ok: fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('exit' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('evict' as const), id }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('replace' as const), id, lifecycle }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('ceiling' as const), ceiling: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crowd' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.integer({ min: 0, max: 40 }) }),
  },
)

test('no story breaks the rules of the slots', () => {
  const counts: Record<string, number> = {}
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.array(lifecycle, { minLength: MODELS, maxLength: MODELS }),
      fc.array(move, { minLength: 1, maxLength: 60, size: 'max' }),
      fc.boolean(),
      (ceiling, lifecycles, moves, loadsSucceed) => {
        const world = new SlotWorld(ceiling, new Map(lifecycles.map((one, index) => [`m${index}`, one])))
        for (const one of moves) world.make(one)
        world.settle(loadsSucceed)

        // With everybody gone there is room for any model again, and only as many are left as may be.
        world.releaseAll()
        world.settle(true)
        expect(world.alive).toBeLessThanOrEqual(world.state.ceiling)
        for (let index = 0; index < MODELS; index++) {
          const request = world.request(`m${index}`)
          world.settle(true)
          expect(request.outcome).toBe('leased')
          world.releaseAll()
        }
        for (const [effect, count] of Object.entries(world.counts)) {
          counts[effect] = (counts[effect] ?? 0) + count
        }
      },
    ),
    { numRuns: RUNS },
  )
  // A story in which nothing happens proves nothing.
  for (const effect of ['start', 'stop', 'grant', 'refuse', 'revoke']) {
    expect(counts[effect]).toBeGreaterThan(RUNS / 2)
  }
}, 60_000)

describe('one by one', () => {
  const plain: Lifecycle = { keepWarm: false, idleTimeoutSec: 900, priority: 0 }

  test('the second request for a model that loads waits for the same load', () => {
    const slots = play(2, [request(1, 'a'), request(2, 'a')])
    expect(slots.effects).toEqual([{ type: 'start', slot: 1, id: 'a' }])
    expect(slots.send(loaded(1))).toEqual([
      { type: 'grant', ticket: 1, slot: 1 },
      { type: 'grant', ticket: 2, slot: 1 },
    ])
  })

  test('the new engine starts only when the evicted one is gone', () => {
    const slots = play(1, [request(1, 'a'), loaded(1), { type: 'release', ticket: 1 }])
    expect(slots.send(request(2, 'b'))).toEqual([{ type: 'stop', slot: 1 }])
    expect(slots.send({ type: 'gone', slot: 1 })).toEqual([{ type: 'start', slot: 2, id: 'b' }])
  })

  test('a full house of busy engines answers no_capacity at once', () => {
    const slots = play(1, [request(1, 'a'), loaded(1)])
    expect(slots.send(request(2, 'b'))).toEqual([{ type: 'refuse', ticket: 2, because: 'no_capacity' }])
  })

  test('a loading engine is busy', () => {
    const slots = play(1, [request(1, 'a'), { type: 'release', ticket: 1 }])
    expect(slots.send(request(2, 'b'))).toEqual([{ type: 'refuse', ticket: 2, because: 'no_capacity' }])
  })

  test('the lower priority goes first, then the least recently used', () => {
    const important = { ...plain, priority: 5 }
    const slots = play(3, [
      request(1, 'important', important),
      request(2, 'old'),
      request(3, 'young'),
      loaded(1, important),
      ...[2, 3].map((slot) => loaded(slot)),
      ...[1, 2, 3].map((ticket) => ({ type: 'release' as const, ticket })),
    ])
    expect(slots.send(request(4, 'd'))).toEqual([{ type: 'stop', slot: 2 }])
    expect(slots.send(request(5, 'e'))).toEqual([{ type: 'stop', slot: 3 }])
    expect(slots.send(request(6, 'f'))).toEqual([{ type: 'stop', slot: 1 }])
  })

  test('a model kept warm goes only when no other can', () => {
    const warm = { ...plain, keepWarm: true, priority: -1 }
    const important = { ...plain, priority: 9 }
    const slots = play(2, [
      request(1, 'warm', warm),
      loaded(1, warm),
      { type: 'release', ticket: 1 },
      request(2, 'plain', important),
      loaded(2, important),
      { type: 'release', ticket: 2 },
    ])
    expect(slots.send(request(3, 'c'))).toEqual([{ type: 'stop', slot: 2 }])
    expect(slots.send(request(4, 'd'))).toEqual([{ type: 'stop', slot: 1 }])
  })

  test('idle engines are reaped when their time is over, warm and busy ones never', () => {
    const short = { ...plain, idleTimeoutSec: 30 }
    const warm = { ...short, keepWarm: true }
    const longer = { ...short, idleTimeoutSec: 31 }
    const slots = play(4, [
      request(1, 'idle', short),
      request(2, 'warm', warm),
      request(3, 'busy', short),
      request(4, 'longer', longer),
      ...[short, warm, short, longer].map((one, index) => loaded(index + 1, one)),
      ...[1, 2, 4].map((ticket) => ({ type: 'release' as const, ticket })),
    ])
    expect(slots.send({ type: 'tick' }, 29_900)).toEqual([])
    expect(slots.send({ type: 'tick' }, 99)).toEqual([{ type: 'stop', slot: 1 }])
  })

  test('an evicted engine in use drains, and a new request keeps it', () => {
    const slots = play(1, [request(1, 'a'), loaded(1), { type: 'evict', id: 'a' }])
    expect(slots.state.slots[0]?.draining).toBe('asked')
    slots.send(request(2, 'a'))
    expect(slots.state.slots[0]?.draining).toBeNull()
    slots.send({ type: 'release', ticket: 1 })
    expect(slots.send({ type: 'release', ticket: 2 })).toEqual([])
    expect(slots.send({ type: 'evict', id: 'a' })).toEqual([{ type: 'stop', slot: 1 }])
  })

  test('a replaced engine serves who has it and nobody else', () => {
    const slots = play(2, [request(1, 'a'), loaded(1), { type: 'retire', id: 'a' }])
    expect(slots.send(request(2, 'a'))).toEqual([{ type: 'start', slot: 2, id: 'a' }])
    expect(slots.send({ type: 'release', ticket: 1 })).toEqual([{ type: 'stop', slot: 1 }])
  })

  test('a lowered ceiling evicts idle engines at once and busy ones when they are done', () => {
    const slots = play(3, [
      request(1, 'a'),
      request(2, 'b'),
      request(3, 'c'),
      ...[1, 2, 3].map((slot) => loaded(slot)),
      { type: 'release', ticket: 2 },
    ])
    expect(slots.send({ type: 'ceiling', ceiling: 1 })).toEqual([{ type: 'stop', slot: 2 }])
    expect(slots.state.slots.map(({ draining }) => draining)).toEqual(['ceiling', null, null])
    expect(slots.send({ type: 'release', ticket: 3 })).toEqual([{ type: 'stop', slot: 3 }])
    // One is left and one may be: it need not go any more.
    expect(slots.state.slots[0]?.draining).toBeNull()
    expect(slots.send({ type: 'release', ticket: 1 })).toEqual([])
  })

  test('a ceiling lowered under who waits for room refuses them', () => {
    const slots = play(2, [
      ...[request(1, 'busy'), request(2, 'idle')],
      ...[1, 2].map((slot) => loaded(slot)),
      { type: 'release', ticket: 2 },
      request(3, 'new'),
    ])
    expect(slots.send({ type: 'ceiling', ceiling: 1 })).toEqual([
      { type: 'refuse', ticket: 3, because: 'no_capacity' },
    ])
  })

  test('a crash revokes every lease, and the next request loads anew', () => {
    const slots = play(2, [request(1, 'a'), request(2, 'a'), loaded(1)])
    expect(slots.send({ type: 'crashed', slot: 1, error: 'x' })).toEqual([
      { type: 'revoke', ticket: 1, error: 'x' },
      { type: 'revoke', ticket: 2, error: 'x' },
    ])
    expect(slots.send(request(3, 'a'))).toEqual([{ type: 'start', slot: 2, id: 'a' }])
  })

  function request(ticket: number, id: string, lifecycle = plain): SlotEvent {
    return { type: 'request', ticket, id, lifecycle }
  }

  function loaded(slot: number, lifecycle = plain): SlotEvent {
    return { type: 'loaded', slot, lifecycle }
  }

  /** Plays events a millisecond apart. */
  function play(ceiling: number, events: SlotEvent[]) {
    let now = 0
    const slots = {
      state: emptySlots(ceiling) as SlotState,
      effects: [] as SlotEffect[],
      send(event: SlotEvent, laterMs = 1): SlotEffect[] {
        now += laterMs
        const { state, effects } = step(slots.state, event, now)
        slots.state = state
        slots.effects.push(...effects)
        return effects
      },
    }
    for (const event of events) slots.send(event)
    return slots
  }
})
