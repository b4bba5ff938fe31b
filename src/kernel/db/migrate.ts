import { sql } from 'kysely'
import { migrations } from '../../../migrations'
import { StartError } from '../errors'
import { type Opened, openDatabase } from './open'
import { exclusively, isUniqueViolation } from './portable'
import type { Db } from './tables'

/**
 * Brings a database to the schema of this program, in one transaction under a lock, so that several processes may
 * start at once and a failure leaves nothing half done.
 * @returns the names of what was applied
 * @throws {StartError} when a newer program has already changed the database
 */
export async function migrate(db: Db, list: Record<string, string> = migrations): Promise<string[]> {
  await sql`create table if not exists schema_migrations (name text primary key, applied_at bigint not null)`
    .execute(db)
    .catch((error) => {
      // Two processes that start at once may both find it missing; the loser of that race finds it made.
      if (!isUniqueViolation(error)) throw error
    })
  return exclusively(db, 'schema_migrations', async (tx) => {
    const applied = new Set(await appliedNames(tx))
    const unknown = [...applied].filter((name) => !(name in list))
    if (unknown.length > 0) {
      throw new StartError(
        `The database is newer than this program (it has ${unknown.join(', ')}). Install that release or a later one; nothing was changed.`,
      )
    }
    const missing = Object.keys(list).filter((name) => !applied.has(name))
    for (const name of missing) {
      await runScript(tx, list[name]!)
      await sql`insert into schema_migrations (name, applied_at) values (${name}, ${Date.now()})`.execute(tx)
    }
    return missing
  })
}

/**
 * Opens the database that `url` names and brings it up to date.
 * @throws {StartError} when it cannot be reached, is no database, or is newer than this program
 */
export async function openMigrated(url: string, lock: (database: Opened) => void = () => {}) {
  await using cleanup = new AsyncDisposableStack()
  try {
    const database = cleanup.use(openDatabase(url))
    lock(database)
    const applied = await migrate(database.db)
    cleanup.move()
    return { database, applied }
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(
      `The database cannot be opened: ${(error as Error).message}. Check DATABASE_URL and the data folder.`,
      {
        cause: error,
      },
    )
  }
}

/** What is still to be applied, without applying it. */
export async function pendingMigrations(db: Db): Promise<string[]> {
  const applied = new Set(await appliedNames(db).catch(() => []))
  return Object.keys(migrations).filter((name) => !applied.has(name))
}

async function appliedNames(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from schema_migrations order by name`.execute(db)
  return rows.map(({ name }) => name)
}

async function runScript(tx: Db, script: string) {
  const statements = script.replace(/--.*$/gm, '').split(';')
  for (const statement of statements) {
    if (statement.trim()) await sql.raw(statement).execute(tx)
  }
}
