import { expect, test } from 'bun:test'
import type { Db } from '#kernel/db/tables'
import { newId } from '#kernel/ids'
import type { Logger } from '#kernel/log'
import type { Claim } from '../../src/control/durable/claim'
import { durableStore } from '../../src/control/durable/store'
import { durableWrites } from '../../src/control/durable/writes'
import { database, enqueue, publish, putAway, reaches, resume } from '../support/durable'
import { effectServer } from '../support/effects'
import { asking, graph, node } from '../support/graphs'
import { eachDatabase, type World } from '../support/world'

/** What every engine has to keep, together with the journal: SQLite has its own, Postgres has pg-boss. */

/** A model that stands still until it is let go, and counts how often it was asked. */
function standing(world: World) {
  const asked = { times: 0 }
  let here = Promise.withResolvers<void>()
  let go = Promise.withResolvers<void>()
  world.provider.answers({
    deltas: ['said'],
    before(index) {
      if (index > 0) return
      asked.times++
      here.resolve()
      return go.promise
    },
  })
  return {
    asked,
    get here() {
      return here.promise
    },
    letGo() {
      go.resolve()
      here = Promise.withResolvers()
      go = Promise.withResolvers()
    },
  }
}

const gated = (id: string, config: Record<string, unknown> = {}) =>
  graph(
    [node('in', 'input'), node('ask', 'human', { config }), node('out', 'output')],
    ['in.out>ask.in', 'ask.out>out.in'],
    { id },
  )

/** Semantics of nodes that this program does not have. */
const UNKNOWN_VERSION = 999

/** The connection breaks behind the first commit, before its answer. */
function deafOnce(db: Db): Db {
  let isDeaf = true
  const thenDeaf = <T extends { execute: (work: never) => Promise<unknown> }>(builder: T): T =>
    ({
      execute: async (work: never) => {
        const result = await builder.execute(work)
        if (isDeaf) {
          isDeaf = false
          throw new Error('the answer was lost')
        }
        return result
      },
    }) as T
  return new Proxy(db, {
    get(target, key) {
      if (key === 'transaction') return () => thenDeaf(target.transaction())
      if (key === 'connection') return () => thenDeaf(target.connection())
      const value = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

eachDatabase(
  (world) => {
    // Both wait for the sweep, so they wait together.
    test.concurrent('who lost a run writes nothing any more, and the next owner does what was in flight again', async () => {
      await world().registerModel()
      const model = standing(world())
      await publish(world(), asking({ id: 'agent.zombie' }))
      const id = await enqueue(world(), 'agent.zombie', 'x')
      await model.here
      // Another process has taken the run over while this one was frozen.
      const epoch = 7
      await database(world(), (db) =>
        db.updateTable('durable_runs').set({ epoch }).where('run_id', '=', id).execute(),
      )
      model.letGo()
      // It learns of that when it writes, or when it looks after its runs.
      const left = await database(world(), async (db) => {
        for (const deadline = Date.now() + 3_000; Date.now() < deadline; await Bun.sleep(50)) {
          const [row] = await db.selectFrom('durable_runs').selectAll().where('run_id', '=', id).execute()
          const steps = await db.selectFrom('run_steps').select('key').where('run_id', '=', id).execute()
          if (!row || row.epoch !== epoch || steps.length > 0) return { row, steps }
        }
        // The new owner dies, and hands the run back by that.
        await durableStore(db).release(id, Date.now())
        return null
      })
      expect(left).toBeNull()
      await model.here
      expect(model.asked.times).toBe(2)
      model.letGo()
      expect(await reaches(world(), id, 'completed')).toMatchObject({ output: 'said' })
    }, 30_000)

    test.concurrent('a lost hint costs seconds, not the run', async () => {
      await publish(world(), gated('agent.unhinted'))
      const id = await enqueue(world(), 'agent.unhinted', 1)
      await reaches(world(), id, 'waiting')
      // A process stored the answer and died before it could say so.
      await database(world(), (db) =>
        db.transaction().execute(async (tx) => {
          const store = durableStore(tx)
          await store.makeDue(id, Date.now())
          await store.goesOn(id, 'ask', Date.now())
          await store.settleGate(id, 'ask', { json: '{"kind":"answer","value":"found"}', ref: null })
        }),
      )
      expect(await reaches(world(), id, 'completed')).toMatchObject({ output: 'found' })
    }, 20_000)

    test('a step on record is not done again, whatever is restarted', async () => {
      await using effects = effectServer()
      await publish(
        world(),
        graph(
          [
            node('in', 'input'),
            node('do', 'tool', { config: { tool: 'http_fetch', args: { url: `${effects.url}/once` } } }),
            node('ask', 'human'),
            node('out', 'output'),
          ],
          ['in.out>do.in', 'do.out>ask.in', 'ask.out>out.in'],
          { id: 'agent.once' },
        ),
      )
      const id = await enqueue(world(), 'agent.once', 1)
      await reaches(world(), id, 'waiting')
      await world().restart()
      await resume(world(), id, 'on')
      await reaches(world(), id, 'completed')
      expect([...effects.effects]).toEqual([[`${id}:do`, { asked: 1, answered: 1 }]])
    })

    test('a run is put away only when nothing is at work, also between one step and the next', async () => {
      await using effects = effectServer(40)
      const effect = (id: string) =>
        node(id, 'tool', { config: { tool: 'http_fetch', args: { url: `${effects.url}/${id}` } } })
      await publish(
        world(),
        graph(
          [
            node('in', 'input'),
            node('ask', 'human'),
            ...['one', 'two', 'three'].map(effect),
            node('both', 'transform', { config: { expr: '$in.a' }, in: ['a', 'b'] }),
            node('out', 'output'),
          ],
          [
            'in.out>ask.in',
            'in.out>one.in',
            'one.out>two.in',
            'two.out>three.in',
            'ask.out>both.a',
            'three.out>both.b',
            'both.out>out.in',
          ],
          { id: 'agent.between-steps' },
        ),
      )
      const id = await enqueue(world(), 'agent.between-steps', 1)
      while (effects.effects.size < 2) await Bun.sleep(5)
      await reaches(world(), id, 'waiting')
      await resume(world(), id, 'on')
      await reaches(world(), id, 'completed')
      expect([...effects.effects.values()].map(({ asked }) => asked)).toEqual([1, 1, 1])
    })

    test('a time that is over while something else still runs is told there, and nothing is done again', async () => {
      await world().registerModel()
      const model = standing(world())
      const { nodes, edges } = asking()
      await publish(
        world(),
        graph(
          [
            ...nodes.filter(({ id }) => id !== 'out'),
            node('late', 'human', { config: { timeout: 0.05, onTimeout: 'default', default: 'nobody' } }),
            node('both', 'transform', { config: { expr: '["$in.a","$in.b"]' }, in: ['a', 'b'] }),
            node('out', 'output'),
          ],
          [
            ...edges
              .filter(({ target }) => target !== 'out')
              .map((edge) => `${edge.source}.out>${edge.target}.in`),
            'in.out>late.in',
            'late.out>both.a',
            'ask.out>both.b',
            'both.out>out.in',
          ],
          { id: 'agent.timer' },
        ),
      )
      const id = await enqueue(world(), 'agent.timer', 1)
      await model.here
      const settled = async () => {
        for (;;) {
          const { body } = await world().call('GET', `/runs/${id}/nodes/late/io`, { as: 'editor' })
          if (body.outputs) return body.outputs
          await Bun.sleep(10)
        }
      }
      expect(await settled()).toEqual({ out: 'nobody' })
      expect((await world().call('GET', `/runs/${id}`, { as: 'editor' })).body.status).toBe('streaming')
      model.letGo()
      expect(await reaches(world(), id, 'completed')).toMatchObject({ output: '["nobody","said"]' })
      expect(model.asked.times).toBe(1)
    })

    test('an answer between the look at the gates and putting the run away is not lost', async () => {
      await publish(world(), gated('agent.between'))
      const id = await enqueue(world(), 'agent.between', 1)
      await putAway(world(), id)
      await database(world(), async (db) => {
        const store = durableStore(db)
        const put = (seen: number) => store.suspend(id, { wakeAt: null, seen, now: 1_000 })
        expect(await put(0)).toBeNull()
        await store.settleGate(id, 'ask', { json: '{"kind":"answer","value":1}', ref: null })
        expect(await store.settleGate(id, 'ask', { json: '{"kind":"timeout"}', ref: null })).toBe(false)
        expect(await put(1)).toBeNull()
        expect(await put(0)).toBe(1_000)
      })
    })

    test('what is due is found page by page, the longest overdue first', async () => {
      await publish(world(), gated('agent.paged'))
      const ids = await Promise.all([1, 2, 3, 4, 5].map((input) => enqueue(world(), 'agent.paged', input)))
      for (const id of ids) await putAway(world(), id)
      const [first, ...rest] = ids.sort()
      await database(world(), async (db) => {
        const at = (ids: string[], wake_at: number | null) =>
          db
            .updateTable('durable_runs')
            // So that it stays where it is.
            .set({ wake_at, interp_version: UNKNOWN_VERSION })
            .where('run_id', 'in', ids)
            .execute()
        await at(rest, 1_000)
        await at([first!], 2_000)
        const found: string[] = []
        let last: { run_id: string; wake_at: number | null } | undefined
        for (;;) {
          const page = await durableStore(db).due(3_000, 2, last)
          // Others of this database may be due too.
          found.push(...page.map(({ run_id }) => run_id).filter((id) => ids.includes(id)))
          last = page.at(-1)
          if (page.length < 2) break
        }
        expect(found).toEqual([...rest, first!])
        await at(ids, null)
      })
    })

    test('of two who want a run at once one gets it, and who tries its commit again is the same', async () => {
      await publish(world(), gated('agent.wanted'))
      const id = await enqueue(world(), 'agent.wanted', 1)
      await putAway(world(), id)
      await database(world(), async (db) => {
        const log = { warn() {}, error() {}, info() {}, debug() {} } as unknown as Logger
        const writes = durableWrites({ db, log, now: Date.now, maxCommits: 1 })
        const claim = (executor: string, takeover = false): Claim => ({
          runId: id,
          executor,
          lease: 'lease',
          takeover,
          versions: [UNKNOWN_VERSION],
        })
        const set = (row: { wake_at?: number; interp_version?: number }) =>
          db.updateTable('durable_runs').set(row).where('run_id', '=', id).execute()
        // So that nobody else here takes it.
        await set({ interp_version: UNKNOWN_VERSION })
        // Nobody has anything to do there yet.
        expect(await writes.add({ claim: claim('early', true) })).toBe(false)
        await set({ wake_at: 1 })
        const both = [claim('one'), claim('other')]
        const got = await Promise.all(both.map((one) => writes.add({ claim: one })))
        expect(got.filter(Boolean)).toHaveLength(1)
        const winner = both[got.indexOf(true)]!
        expect(await writes.add({ claim: winner })).toBe(true)
        expect(await writes.add({ claim: claim('late') })).toBe(false)
        const row = await durableStore(db).find(id)
        expect(row).toMatchObject({
          state: 'running',
          executor: winner.executor,
          epoch: winner.before!.epoch + 1,
        })
        // The engine says that the owner is dead; whoever comes by another lease at the same moment is in nobody's way.
        const stray = { ...claim('stray', true), lease: 'another' }
        const heirs = [claim('heir', true), stray].map((one) => writes.add({ claim: one }))
        expect(await Promise.all(heirs)).toEqual([true, false])
        const fence = { runId: id, epoch: row!.epoch }
        const step = { run_id: id, key: 'late', output: '1', output_ref: null, created_at: 1 }
        expect(await writes.add({ fence, steps: [step] })).toBe(false)
        expect(await writes.add({ fence: { ...fence, epoch: row!.epoch + 1 }, steps: [step] })).toBe(true)
        writes.stop()
      })
    })

    test('a run whose first commit was stored though nobody was told is stored once, with what it claimed', async () => {
      const id = newId('bare', Date.now())
      await database(world(), async (db) => {
        const log = { warn() {} } as unknown as Logger
        const writes = durableWrites({ db: deafOnce(db), log, now: Date.now, maxCommits: 1 })
        let claims = 0
        const at = Date.now()
        const run = {
          id,
          status: 'created' as const,
          model: '',
          capture_level: 'full' as const,
          created_at: at,
          updated_at: at,
        }
        const durable = {
          run_id: id,
          state: 'queued' as const,
          epoch: 0,
          wake_at: at + 1e9,
          interp_version: UNKNOWN_VERSION,
          start: 'null',
        }
        // An instant of a schedule is claimed once.
        const claim = async () => claims++ === 0
        expect(await writes.add({ start: { run: { ...run, runtime: 'durable' }, durable, claim } })).toBe(
          true,
        )
        expect(claims).toBe(1)
        expect(await durableStore(db).find(id)).toMatchObject({ state: 'queued' })
        await durableStore(db).remove([id])
        writes.stop()
      })
    })

    test('a run that began with semantics this program does not know is left alone', async () => {
      await publish(world(), gated('agent.newer'))
      const id = await enqueue(world(), 'agent.newer', 1)
      await putAway(world(), id)
      await database(world(), (db) =>
        db
          .updateTable('durable_runs')
          .set({ interp_version: UNKNOWN_VERSION })
          .where('run_id', '=', id)
          .execute(),
      )
      await resume(world(), id, 'x')
      await Bun.sleep(300)
      expect((await world().call('GET', `/runs/${id}`, { as: 'editor' })).body.status).toBe('streaming')
    })
  },
  { env: { SERVICE_DURABLE: 'true' } },
)
