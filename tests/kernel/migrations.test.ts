import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { migrate, pendingMigrations } from '#kernel/db/migrate'
import { lockSqlite, openDatabase } from '#kernel/db/open'
import { migrations } from '../../migrations'
import { freshPostgresDatabase } from '../support/postgres'
import { emptyFolder } from '../support/process'

const fresh = {
  sqlite: async () => `sqlite:${join(emptyFolder(), 'tycho.db')}`,
  postgres: freshPostgresDatabase,
}
const later = { ...migrations, '9999_later': 'create table later (id text primary key)' }

test('every migration file is listed, in order', async () => {
  const files = (await Array.fromAsync(new Bun.Glob('*.sql').scan('migrations'))).sort()
  expect(Object.keys(migrations)).toEqual(files.map((file) => file.replace('.sql', '')))
})

for (const kind of ['sqlite', 'postgres'] as const) {
  test(`${kind}: from empty and from every earlier version to the newest`, async () => {
    const names = Object.keys(migrations)
    for (let from = 0; from <= names.length; from++) {
      await using database = openDatabase(await fresh[kind]())
      const earlier = Object.fromEntries(Object.entries(migrations).slice(0, from))
      expect(await migrate(database.db, earlier)).toEqual(names.slice(0, from))
      expect(await migrate(database.db)).toEqual(names.slice(from))
      expect(await pendingMigrations(database.db)).toEqual([])
      expect(await database.db.selectFrom('users').selectAll().execute()).toEqual([])
    }
  }, 60_000)

  test(`${kind}: processes that start at once migrate once`, async () => {
    const env = { ...process.env, DATABASE_URL: await fresh[kind]() }
    const processes = Array.from({ length: 3 }, () =>
      Bun.spawn([process.execPath, 'src/main.ts', 'migrate'], { env, stderr: 'pipe' }),
    )
    const outputs = await Promise.all(processes.map(({ stdout }) => new Response(stdout).text()))
    expect(await Promise.all(processes.map(({ exited }) => exited))).toEqual([0, 0, 0])
    expect(outputs.sort()).toEqual([
      `Applied ${Object.keys(migrations).join(', ')}.\n`,
      'The database is up to date.\n',
      'The database is up to date.\n',
    ])
  }, 60_000)

  test(`${kind}: a database of a newer release is refused and left alone`, async () => {
    await using database = openDatabase(await fresh[kind]())
    await migrate(database.db, later)
    await expect(migrate(database.db)).rejects.toThrow(/newer than this program \(it has 9999_later\)/)
  }, 60_000)

  test(`${kind}: a migration that fails leaves nothing behind`, async () => {
    await using database = openDatabase(await fresh[kind]())
    const broken = {
      ...migrations,
      '9999_broken': 'create table half (id text); create table half (id text)',
    }
    await expect(migrate(database.db, broken)).rejects.toThrow()
    expect(await migrate(database.db)).toEqual(Object.keys(migrations))
    await expect(
      database.db
        .selectFrom('half' as never)
        .selectAll()
        .execute(),
    ).rejects.toThrow()
  }, 60_000)
}

test('a SQLite file is served by one process at a time', async () => {
  const path = (await fresh.sqlite()).slice('sqlite:'.length)
  const held = lockSqlite(path)
  expect(() => lockSqlite(path)).toThrow(/Another Tycho already serves/)
  held[Symbol.dispose]()
  lockSqlite(path)[Symbol.dispose]()
})

test.each(['mysql://host/db', 'tycho.db'])('the address %s is refused', (url) => {
  expect(() => openDatabase(url)).toThrow(/DATABASE_URL must start with/)
})

test('the async spelling of a Postgres address means the same server', async () => {
  const url = (await freshPostgresDatabase()).replace('postgresql:', 'postgresql+asyncpg:')
  await using database = openDatabase(url)
  expect(await migrate(database.db)).not.toBeEmpty()
}, 60_000)
