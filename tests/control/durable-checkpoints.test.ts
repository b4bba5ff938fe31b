import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Db } from '#kernel/db/tables'
import { database, enqueue, publish, putAway, reaches, resume } from '../support/durable'
import { graph, node } from '../support/graphs'
import { type DatabaseKind, openWorld, type World } from '../support/world'

const MARK = 'for nobody else to see'
const LARGE = `${MARK} ${'x'.repeat(300_000)}`
const HOSTED = { SERVICE_DURABLE: 'true', SERVICE_TOPOLOGY: 'hosted' }

/** Its step gives its input, and its gate shows it. */
const repeating = (id = 'agent.repeating') =>
  graph(
    [
      node('in', 'input'),
      node('do', 'tool', { config: { tool: 'echo', args: { value: '$in' } } }),
      node('ask', 'human'),
      node('say', 'transform', { config: { expr: '$in.did & $in.said' }, in: ['did', 'said'] }),
      node('out', 'output'),
    ],
    ['in.out>do.in', 'do.out>ask.in', 'do.out>say.did', 'ask.out>say.said', 'say.out>out.in'],
    { id },
  )

/** All that lies in the tables of checkpoints, and in the folder of artifacts. */
async function stored(world: World): Promise<string> {
  const rows = await database(world, (db) =>
    Promise.all(
      (['durable_runs', 'run_steps', 'run_gates'] as const).map((table) =>
        db.selectFrom(table).selectAll().execute(),
      ),
    ),
  )
  return JSON.stringify(rows) + files(world).map((path) => readFileSync(path, 'utf8'))
}

const files = ({ env }: World) => {
  const dir = env.SERVICE_ARTIFACT_DIR!
  const entries = readdirSync(dir, { withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => join(dir, name))
}

const gone = (world: World) => () => files(world).length === 0

async function until(holds: () => boolean | Promise<boolean>) {
  for (const deadline = performance.now() + 15_000; !(await holds()); await Bun.sleep(5)) {
    if (performance.now() > deadline) throw new Error('it did not come to that')
  }
}

async function waiting(world: World, input: string): Promise<string> {
  const id = await enqueue(world, 'agent.repeating', input)
  await putAway(world, id)
  return id
}

async function answered(world: World, id: string, input: string) {
  expect((await resume(world, id, ', and so on')).status).toBe(202)
  expect((await reaches(world, id, 'completed', 'failed')).output).toBe(`${input}, and so on`)
}

describe.each((process.env.DB ?? 'sqlite,postgres').split(',') as DatabaseKind[])('on %s', (kind) => {
  // A run whose key is missing waits for the lease of its owner, the others with it.
  test.concurrent('in a hosted install nobody reads them without the key, and the run goes on with it', async () => {
    await using world = await openWorld({ database: kind, env: HOSTED })
    await publish(world, repeating())
    const ids = [await waiting(world, MARK), await waiting(world, LARGE)]
    expect(await stored(world)).not.toContain(MARK)
    expect((await world.call('GET', `/runs/${ids[0]}/awaiting`, { as: 'editor' })).body).toMatchObject({
      input: { in: MARK },
    })
    await world.restart()
    await answered(world, ids[0]!, MARK)
    await answered(world, ids[1]!, LARGE)
  }, 40_000)

  test.concurrent('keys are rotated under runs that wait, and a run whose key is missing waits for it', async () => {
    await using world = await openWorld({ database: kind, env: HOSTED })
    await publish(world, repeating())
    const [rotated, stuck] = [await waiting(world, MARK), await waiting(world, MARK)]
    world.env.SERVICE_SECRET_KEY = 'a newer key, a key for tests'
    await world.restart()
    await answered(world, rotated!, MARK)

    world.env.SERVICE_SECRET_KEY = 'a newer key'
    await world.restart()
    expect((await resume(world, stuck!, ', and so on')).status).toBe(202)
    // It has been tried, and has not failed by that.
    const tried = (db: Db) =>
      db.selectFrom('durable_runs').select('epoch').where('run_id', '=', stuck!).executeTakeFirst()
    await until(async () => (await database(world, tried))!.epoch > 1)
    world.env.SERVICE_SECRET_KEY = 'a newer key, a key for tests'
    await world.restart()
    expect((await reaches(world, stuck!, 'completed', 'failed')).output).toBe(`${MARK}, and so on`)
  }, 60_000)

  test.concurrent('what lies there in plain form goes on where they are sealed from now on', async () => {
    await using world = await openWorld({ database: kind, env: { SERVICE_DURABLE: 'true' } })
    await publish(world, repeating())
    const ids = [await waiting(world, MARK), await waiting(world, LARGE)]
    expect(await stored(world)).toContain(MARK)
    world.env.SERVICE_TOPOLOGY = 'hosted'
    await world.restart()
    await answered(world, ids[0]!, MARK)
    await answered(world, ids[1]!, LARGE)
  }, 40_000)

  test.concurrent('without a key of its own a hosted install does not seal them, so that a restart loses no run', async () => {
    await using world = await openWorld({ database: kind, env: { ...HOSTED, SERVICE_SECRET_KEY: '' } })
    await publish(world, repeating())
    const id = await waiting(world, MARK)
    await world.restart()
    await answered(world, id, MARK)
  }, 40_000)

  test.concurrent('their files go with the run, however it ends', async () => {
    await using world = await openWorld({ database: kind, env: { SERVICE_DURABLE: 'true' } })
    await publish(world, repeating())
    const end: Record<string, (id: string) => Promise<unknown>> = {
      completed: (id) => answered(world, id, LARGE),
      cancelled: (id) => world.call('POST', `/runs/${id}/cancel`, { as: 'editor' }),
      'its checkpoints are gone': async (id) => {
        await database(world, (db) => db.deleteFrom('durable_runs').where('run_id', '=', id).execute())
        expect((await resume(world, id, 'x')).status).toBe(410)
      },
      'its graph is gone': async (id) => {
        await database(world, (db) => db.deleteFrom('run_graphs').execute())
        expect((await resume(world, id, 'x')).status).toBe(410)
        // The process that stored it does not store it again.
        await world.restart()
      },
      'its graph is gone when its time comes': async (id) => {
        await database(world, async (db) => {
          await db.deleteFrom('run_graphs').execute()
          await db.updateTable('durable_runs').set({ wake_at: 1 }).where('run_id', '=', id).execute()
        })
        await world.restart()
        expect((await reaches(world, id, 'failed')).error).toBe('the graph of this run is gone')
      },
    }
    for (const [how, work] of Object.entries(end)) {
      const id = await waiting(world, LARGE)
      expect([how, files(world).length > 0]).toEqual([how, true])
      await work(id)
      await until(gone(world))
    }
  }, 60_000)

  test.concurrent('a file is removed later where the process died before it could', async () => {
    await using world = await openWorld({ database: kind, env: { SERVICE_DURABLE: 'true' } })
    await publish(world, repeating())
    const kept = await waiting(world, LARGE)
    const left = await waiting(world, LARGE)
    const before = files(world).length
    // What is left of a run that ended just before its process died, long ago.
    await database(world, async (db) => {
      await sql`update checkpoint_files set created_at = 0`.execute(db)
      await db.deleteFrom('durable_runs').where('run_id', '=', left).execute()
    })
    await world.restart()
    await until(() => files(world).length === before / 2)
    await answered(world, kept, LARGE)
    await until(gone(world))
  }, 40_000)
})
