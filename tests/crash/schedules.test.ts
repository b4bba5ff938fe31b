import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openDatabase } from '#kernel/db/open'
import { shouting } from '../support/graphs'
import { freshPostgresDatabase } from '../support/postgres'
import { bareEnvironment, emptyFolder, removeFolders } from '../support/process'
import { durableInstall } from './durable-install'

const PROGRAM = join(import.meta.dirname, '../support/clocked-plane.ts')
const MINUTE_MS = 60_000
/** In the hour; each kill hits a process that has just been told that a schedule is due. */
const KILLED_AT = [7, 20, 41, 60]

const kinds = (process.env.DB ?? 'sqlite,postgres').split(',') as ('sqlite' | 'postgres')[]
/** An SQLite file has one process. */
const INSTANCES = { sqlite: 1, postgres: 2 }
afterAll(removeFolders)

/** Control planes over one database, all of which are told the same time. */
async function instances(count: number, env: Record<string, string>) {
  const spawn = () =>
    Bun.spawn([process.execPath, PROGRAM], { env, stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
  let clock = 0
  const tell = (one: ReturnType<typeof spawn>) => {
    one.stdin.write(`${clock}\n`)
    one.stdin.flush()
  }
  async function start() {
    const one = spawn()
    tell(one)
    for await (const _ready of one.stdout) return one
    throw new Error('it did not start')
  }
  const all: ReturnType<typeof spawn>[] = []
  return {
    async start(time: number) {
      clock = time
      while (all.length < count) all.push(await start())
    },
    show(time: number) {
      clock = time
      for (const one of all) tell(one)
    },
    async killOne() {
      const index = Math.floor(Math.random() * count)
      all[index]!.kill('SIGKILL')
      await all[index]!.exited
      return async () => {
        all[index] = await start()
      }
    },
    async [Symbol.asyncDispose]() {
      for (const one of all) one.kill('SIGKILL')
      await Promise.all(all.map(({ exited }) => exited))
    },
  }
}

describe.each(kinds)('on %s', (kind) => {
  test('instances that are killed while schedules are due fire each instant of an hour once', async () => {
    const dir = emptyFolder()
    const databaseUrl = kind === 'postgres' ? await freshPostgresDatabase() : `sqlite:${dir}/tycho.db`
    {
      await using install = await durableInstall({ kind, databaseUrl })
      await install.publish(shouting({ id: 'agent.loud' }))
      for (const cron of ['* * * * *', '*/20 * * * *']) {
        const config = { cron, input: 'hi' }
        await install.call('POST', '/triggers', {
          agent_id: 'agent.loud',
          kind: 'schedule',
          version: '1.0.0',
          config,
        })
      }
    }
    await using database = openDatabase(databaseUrl)
    const { db } = database
    const due = (time: number) =>
      db.selectFrom('triggers').select('id').where('next_fire_at', '<=', time).execute()

    await using planes = await instances(INSTANCES[kind], {
      ...bareEnvironment(dir),
      DATABASE_URL: databaseUrl,
      SERVICE_ARTIFACT_DIR: `${dir}/artifacts`,
    })
    // An hour of tomorrow; the schedules wait for an instant of today.
    const hour = Math.ceil(Date.now() / (60 * MINUTE_MS)) * 60 * MINUTE_MS + 24 * 60 * MINUTE_MS
    await db
      .updateTable('triggers')
      .set({ next_fire_at: hour + MINUTE_MS })
      .where('config', 'like', '%"* * *%')
      .execute()
    await db
      .updateTable('triggers')
      .set({ next_fire_at: hour + 20 * MINUTE_MS })
      .where('config', 'like', '%/20%')
      .execute()
    await planes.start(hour)
    for (let minute = 1; minute <= 60; minute++) {
      const time = hour + minute * MINUTE_MS + 137
      planes.show(time)
      if (KILLED_AT.includes(minute)) {
        await Bun.sleep(Math.random() * 10)
        await (await planes.killOne())()
      }
      while ((await due(time)).length > 0) await Bun.sleep(2)
    }
    // Those of a process that was killed still wait for its lease to end.
    expect(await db.selectFrom('runs').select('error').where('status', '=', 'failed').execute()).toEqual([])
    const counts = await db
      .selectFrom('triggers')
      .select((is) => [
        'missed_fires',
        is
          .selectFrom('runs')
          .whereRef('runs.trigger_id', '=', 'triggers.id')
          .select((on) => on.fn.countAll<number>().as('runs'))
          .as('runs'),
        is
          .selectFrom('trigger_fires')
          .whereRef('trigger_fires.trigger_id', '=', 'triggers.id')
          .select((on) => on.fn.countAll<number>().as('slots'))
          .as('slots'),
      ])
      .orderBy('created_at')
      .execute()
    expect(counts).toEqual([
      { missed_fires: 0, runs: 60, slots: 60 },
      { missed_fires: 0, runs: 3, slots: 3 },
    ])
  }, 180_000)
})
