import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Lease } from '#engines/lease'
import { type FakeRun, fakeResident, turn } from './fake-runs'

const RUNS = 1_000
const MODELS = 5
/** What engines may take together, and what each model takes: one of them always, some beside one another. */
const MEMORY_BYTES = 100
const TAKES = [10, 40, 60, 30, 120]

type Move =
  | { do: 'acquire' | 'warm' | 'evict' | 'replace' | 'delete'; id: number }
  | { do: 'cancel' | 'release' | 'load' | 'fail' | 'crash' | 'exit'; pick: number }
  | { do: 'ceiling'; ceiling: number }
  | { do: 'reap'; seconds: number }
  | { do: 'turn' }

const id = fc.nat({ max: MODELS - 1 })
const pick = fc.nat({ max: 9 })
const at = <const D extends string>(name: D, weight: number) => ({
  weight,
  arbitrary: fc.record({ do: fc.constant(name), pick }),
})
const on = <const D extends string>(name: D, weight: number) => ({
  weight,
  arbitrary: fc.record({ do: fc.constant(name), id }),
})
const move: fc.Arbitrary<Move> = fc.oneof(
  on('acquire', 8),
  on('warm', 1),
  on('evict', 1),
  on('replace', 1),
  on('delete', 1),
  at('cancel', 3),
  at('release', 6),
  at('load', 6),
  at('fail', 1),
  at('crash', 1),
  at('exit', 6),
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('ceiling'), ceiling: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('reap'), seconds: fc.integer({ min: 0, max: 2_000 }) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('turn') }) },
)

function worldOf(ceiling: number) {
  const fake = fakeResident({ ceiling, slowPlans: true, memoryBytes: MEMORY_BYTES })
  for (let index = 0; index < MODELS; index++) {
    fake.register(`m${index}`, {
      params: { takes: TAKES[index] },
      lifecycle: { keepWarm: index === 0, idleTimeoutSec: 600, priority: index % 2 },
    })
  }
  return fake
}

/** Everybody who asks for models and uses them. */
function callers(fake: ReturnType<typeof fakeResident>) {
  const waiting = new Set<AbortController>()
  const leases = new Map<Lease, FakeRun>()
  const unsettled = new Set<Promise<unknown>>()
  return {
    waiting,
    leases,
    unsettled,
    acquire(id: string) {
      const caller = new AbortController()
      waiting.add(caller)
      const asked = fake.resident
        .acquire(id, caller.signal)
        .then(
          (lease) => void leases.set(lease, fake.runs.find(({ baseUrl }) => baseUrl === lease.baseUrl)!),
          () => {},
        )
        .finally(() => {
          waiting.delete(caller)
          unsettled.delete(asked)
        })
      unsettled.add(asked)
    },
    /** Leases that do not know yet that their engine is dead. */
    onDeadEngines: () => [...leases].filter(([lease, run]) => run.state !== 'ready' && !lease.signal.aborted),
    release(lease: Lease | undefined) {
      if (!lease) return
      leases.delete(lease)
      lease.release()
    },
  }
}

const pickOf = <T>(list: Iterable<T>, pick: number): T | undefined => {
  const all = [...list]
  return all[pick % Math.max(1, all.length)]
}

test('whatever happens, every request is answered, no lease is on a dead engine, and nothing is left', async () => {
  let granted = 0
  let revoked = 0
  let crowded = 0
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(move, { minLength: 1, maxLength: 60, size: 'max' }),
      async (ceiling, moves) => {
        const fake = worldOf(ceiling)
        const people = callers(fake)
        crowded += await live(ceiling, moves, fake, people)
        for (const { signal } of people.leases.keys()) if (signal.aborted) revoked++
        await fake.settle()
        expect(people.unsettled.size).toBe(0)
        granted += people.leases.size
        for (const lease of people.leases.keys()) people.release(lease)
        await fake.settle()
        expect(fake.alive().length).toBeLessThanOrEqual(fake.resident.ceiling())
        const inflight = fake.resident.engines().reduce((sum, engine) => sum + engine.inflight, 0)
        expect(inflight).toBe(0)
        await fake[Symbol.asyncDispose]()
        expect(fake.alive()).toEqual([])
      },
    ),
    { numRuns: RUNS },
  )
  // Stories in which nothing happens prove nothing.
  expect(granted).toBeGreaterThan(RUNS)
  expect(revoked).toBeGreaterThan(RUNS / 50)
  expect(crowded).toBeGreaterThan(RUNS / 50)
}, 60_000)

/** Plays a story, watching the ceiling and the leases. */
async function live(
  ceiling: number,
  moves: Move[],
  fake: ReturnType<typeof fakeResident>,
  people: ReturnType<typeof callers>,
): Promise<number> {
  let crowded = 0
  // What a lowered ceiling left running may finish.
  let highest = ceiling
  for (const move of moves) {
    fake.clock.now += 1
    if (move.do === 'ceiling') highest = Math.max(highest, move.ceiling)
    play(move, fake, people)
    expect(fake.alive().length).toBeLessThanOrEqual(highest)
    if (move.do !== 'turn') continue
    await turn()
    if (takenBy(fake.alive()) > MEMORY_BYTES) {
      // Nobody was idle any more, and the last one that came says so.
      expect(fake.resident.engines().some(({ warning }) => warning !== undefined)).toBe(true)
      crowded++
    }
    expect(people.onDeadEngines()).toEqual([])
  }
  return crowded
}

const takenBy = (alive: FakeRun[]): number =>
  alive.reduce((sum, { registration }) => sum + Number(registration.params.takes ?? 0), 0)

function play(
  move: Move,
  fake: ReturnType<typeof fakeResident>,
  { waiting, leases, acquire, release }: ReturnType<typeof callers>,
) {
  const inState = (state: FakeRun['state']) => fake.runs.filter((run) => run.state === state)
  switch (move.do) {
    case 'acquire':
      return acquire(`m${move.id}`)
    case 'warm':
      return void fake.resident.warm(`m${move.id}`, new AbortController().signal).catch(() => {})
    case 'evict':
      return void fake.resident.evict(`m${move.id}`)
    case 'replace':
      fake.register(`m${move.id}`, { model: `model-${fake.clock.now}` })
      return void fake.resident.retire(`m${move.id}`)
    case 'delete':
      fake.registrations.delete(`m${move.id}`)
      return void fake.resident.retire(`m${move.id}`)
    case 'cancel':
      return pickOf(waiting, move.pick)?.abort()
    case 'release':
      return release(pickOf(leases.keys(), move.pick))
    case 'load':
      return pickOf(inState('starting'), move.pick)?.load()
    case 'fail':
      return pickOf(inState('starting'), move.pick)?.failToLoad()
    case 'crash':
      return pickOf(inState('ready'), move.pick)?.crash()
    case 'exit':
      return pickOf(inState('stopping'), move.pick)?.exit()
    case 'ceiling':
      return fake.resident.setCeiling(move.ceiling)
    case 'reap':
      fake.clock.now += move.seconds * 1000
      return fake.resident.reap()
    case 'turn':
  }
}
