import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase } from '#kernel/db/open'
import { effectServer } from '../support/effects'
import { graph, node } from '../support/graphs'
import { freshPostgresDatabase, ownPostgres } from '../support/postgres'
import { removeFolders } from '../support/process'
import { childOf, randomGraph } from '../support/random-graphs'
import { answerGates, durableInstall } from './durable-install'

const GRAPHS = 20
const DISK_MIB = 16
/** What a step gives, so that it is kept as a file. */
const LARGE = 'x'.repeat(300_000)

const kinds = process.env.DB ?? 'sqlite,postgres'
afterAll(removeFolders)

/** A small disk of its own. */
function smallDisk() {
  const dir = mkdtempSync(join(tmpdir(), 'tycho-disk-'))
  const isThere =
    Bun.which('mount') !== null &&
    Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', dir]).success
  const filler = join(dir, 'filler')
  return {
    dir,
    isThere,
    fill() {
      const { bavail, bsize } = statfsSync(dir)
      writeFileSync(filler, Buffer.alloc(bavail * bsize))
    },
    free: () => rmSync(filler),
    [Symbol.dispose]() {
      if (isThere) Bun.spawnSync(['umount', '-l', dir])
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Not every machine lets us have one. */
function mayMount(): boolean {
  using disk = smallDisk()
  return disk.isThere
}

describe.if(kinds.includes('postgres'))('Postgres', () => {
  test('breaks a connection within a transaction: that fails, and the process lives', async () => {
    await using database = openDatabase(await freshPostgresDatabase())
    await using other = openDatabase(database.address)
    const broken = database.db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
      await sql`select pg_terminate_backend(${rows[0]!.pid}, 5000)`.execute(other.db)
      await sql`select 1`.execute(tx)
    })
    expect(await broken.catch((error) => error)).toBeInstanceOf(Error)
    expect((await sql`select 1 as one`.execute(database.db)).rows).toEqual([{ one: 1 }])
  })

  test('is restarted under load: nothing is lost, and nothing is done twice', async () => {
    const postgres = await ownPostgres()
    try {
      await using server = effectServer()
      await using install = await durableInstall({
        kind: 'postgres',
        workers: 1,
        databaseUrl: postgres.url,
      })
      const documents = Array.from({ length: GRAPHS }, (_, index) => randomGraph(7_000 + index, server.url))
      await install.publish(childOf(server.url), ...documents)
      const over = new AbortController()
      const answering = answerGates(install.call, over.signal)
      const runAll = () => Promise.all(documents.map(({ id }) => install.start(id)))
      await runAll()
      const expected = new Map((await install.settled()).map(({ graph_id, output }) => [graph_id, output]))
      expect([...expected.values()]).not.toContain(null)

      for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
        const known = server.effects.size
        const starting = runAll()
        // Somebody is in the middle of something.
        while (server.effects.size < known + GRAPHS) await Bun.sleep(1)
        await postgres.restart(signal)
        await starting
      }
      const runs = await install.settled()
      over.abort()
      await answering
      expect(runs.length).toBeGreaterThanOrEqual(3 * GRAPHS)
      expect(runs.filter(({ graph_id, output }) => output !== expected.get(graph_id))).toEqual([])
      expect([...server.effects].filter(([, { asked }]) => asked !== 1)).toEqual([])
    } finally {
      await postgres.stop()
    }
  }, 240_000)
})

describe.if(kinds.includes('sqlite'))('SQLite', () => {
  test.if(mayMount())(
    'has no room for a while: runs stand still, and nothing is done twice',
    async () => {
      using own = smallDisk()
      const held = Promise.withResolvers<void>()
      const asked = new Map<string, number>()
      using server = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        idleTimeout: 0,
        async fetch(request) {
          const key = request.headers.get('idempotency-key')!
          asked.set(key, (asked.get(key) ?? 0) + 1)
          await held.promise
          return new Response(new URL(request.url).pathname === '/large' ? LARGE : 'small')
        },
      })
      await using install = await durableInstall({
        kind: 'sqlite',
        databaseUrl: `sqlite:${own.dir}/tycho.db`,
        env: { SERVICE_ARTIFACT_DIR: `${own.dir}/artifacts` },
        logLevel: 'warn',
      })
      const chain = (path: string) =>
        graph(
          [
            node('in', 'input'),
            node('a', 'tool', { config: { tool: 'http_fetch', args: { url: `${server.url}${path}` } } }),
            node('b', 'tool', { config: { tool: 'http_fetch', args: { url: `${server.url}small` } } }),
            node('say', 'transform', {
              config: { expr: '$string($length($in.a.body)) & $in.b.body' },
              in: ['a', 'b'],
            }),
            node('out', 'output'),
          ],
          ['in.out>a.in', 'a.out>b.in', 'a.out>say.a', 'b.out>say.b', 'say.out>out.in'],
          { id: `agent.${path}` },
        )
      await install.publish(chain('small'), chain('large'))
      for (const path of ['small', 'small', 'large', 'large']) await install.start(`agent.${path}`)
      while (asked.size < 4) await Bun.sleep(5)

      own.fill()
      held.resolve()
      const says = (text: string) => install.processes[0]!.output().includes(text)
      while (!says('a run could not be written') || !says('what a run needs is out of reach'))
        await Bun.sleep(20)
      expect(asked.size).toBe(4)
      own.free()

      const runs = await install.settled()
      expect(runs.map(({ output }) => output).sort()).toEqual([
        '300000small',
        '300000small',
        '5small',
        '5small',
      ])
      expect([...asked.values()]).toEqual(Array(8).fill(1))
    },
    60_000,
  )
})
