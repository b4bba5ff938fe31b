import { describe, expect, test } from 'bun:test'
import { migrate } from '#kernel/db/migrate'
import { openDatabase } from '#kernel/db/open'
import { migrations } from '../../migrations'
import { reaches } from '../support/durable'
import { type DatabaseKind, openWorld } from '../support/world'

/** What earlier releases left in the middle of a run (`tests/support/make-half-finished.ts`). */
const FIXTURES = [...new Bun.Glob('*.json').scanSync('tests/fixtures/half-finished')].sort()

interface Fixture {
  migration: string
  run: string
  mark: string
  tables: Record<string, Record<string, never>[]>
}

/** The database as that release had it. */
async function leave(databaseUrl: string, { migration, tables }: Fixture) {
  await using database = openDatabase(databaseUrl)
  const names = Object.keys(migrations)
  const then = names.slice(0, names.indexOf(migration) + 1)
  await migrate(database.db, Object.fromEntries(then.map((name) => [name, migrations[name]!])))
  for (const [table, rows] of Object.entries(tables)) {
    for (const row of rows)
      await database.db
        .insertInto(table as 'runs')
        .values(row as never)
        .execute()
  }
}

describe.each((process.env.DB ?? 'sqlite,postgres').split(',') as DatabaseKind[])('on %s', (database) => {
  test.each(FIXTURES)(
    'a run goes on that %s left',
    async (file) => {
      const fixture: Fixture = await Bun.file(`tests/fixtures/half-finished/${file}`).json()
      // The release leaves its database before this one has looked at it.
      await using world = await openWorld({
        database,
        env: { SERVICE_DURABLE: 'true' },
        before: (url) => leave(url, fixture),
      })
      const { run: id, mark } = fixture
      const answer = async (node: string) => {
        const { body } = await world.call('POST', `/runs/${id}/resume`, {
          as: 'admin',
          body: { input: { text: node }, node },
        })
        expect(body).toMatchObject({ status: 'resuming', awaitingNode: node })
      }
      for (const gate of ['each#1/ask', 'turn#0/ask', 'turn#1/ask']) {
        expect(await reaches(world, id, 'waiting', 'failed')).toMatchObject({ awaiting_node: gate })
        await answer(gate)
      }
      expect(await reaches(world, id, 'completed', 'failed')).toMatchObject({
        status: 'completed',
        output: expect.stringContaining(mark),
      })
    },
    60_000,
  )
})
