import { PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Db } from './tables'

/** What the two databases spell differently, by name. Queries use these and nothing else of either. */

const isPostgres = (db: Db): boolean => db.getExecutor().adapter instanceof PostgresAdapter

/** True for a row that breaks a unique or primary key. */
export const isUniqueViolation = (error: unknown): boolean => {
  const code = (error as { code?: unknown } | null)?.code
  return code === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}

/** True for a text that the database cannot hold: Postgres refuses U+0000, which SQLite takes. */
export const isUnstorableText = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === '22021'

/** What the client of Postgres says without a code. */
const AWAY_MESSAGES =
  /^(Connection terminated|Client (has encountered a connection error|was closed)|timeout exceeded when trying to connect)/

/** True where the database cannot be reached, or has no room: the same may succeed a little later. */
export const isAway = (error: unknown): boolean => {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  return /^(08|57P|53|ECONN|EPIPE|ENOSPC|SQLITE_(FULL|BUSY|IOERR))/.test(code) || AWAY_MESSAGES.test(message)
}

/** Postgres holds no U+0000 in a text, and people and models do send it: the text as both databases hold it. */
export const storable = <T extends string | null | undefined>(text: T): T =>
  (text?.replaceAll('\0', '\uFFFD') ?? text) as T

/**
 * A transaction that no other with the same `name` overlaps, in any process. On Postgres an advisory lock lasts until
 * the transaction ends. SQLite has one writer, but a transaction that reads first and writes later fails when another
 * process wrote in between: a write that changes nothing takes the writer's lock before anything is read.
 */
export const exclusively = <T>(db: Db, name: string, work: (tx: Db) => Promise<T>): Promise<T> =>
  db.transaction().execute(async (tx) => {
    await (isPostgres(tx)
      ? sql`select pg_advisory_xact_lock(hashtext(${name}))`
      : sql`update schema_migrations set applied_at = applied_at where name = ''`
    ).execute(tx)
    return work(tx)
  })

/**
 * A transaction that survives a power cut once it is committed. Postgres does that always; SQLite is otherwise asked
 * not to wait for the disk (`open.ts`), which kill -9 cannot tell, but a power cut can.
 */
export const durably = <T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> =>
  isPostgres(db)
    ? db.transaction().execute(work)
    : db.connection().execute(async (connection) => {
        await sql`pragma synchronous = full`.execute(connection)
        try {
          return await connection.transaction().execute(work)
        } finally {
          await sql`pragma synchronous = normal`.execute(connection)
        }
      })

/** Keeps others from changing the rows that a query reads until the transaction ends; SQLite has one writer anyway. */
export const lockingRows = (db: Db): RawBuilder<unknown> => (isPostgres(db) ? sql`for update` : sql``)

/** Reads a bigint as text, for numbers that a double does not hold. */
export const asTextColumn = (column: string): RawBuilder<string | null> =>
  sql`cast(${sql.ref(column)} as text)`

/** Bytes the database takes; for `doctor`. */
export async function databaseBytes(db: Db): Promise<number> {
  const size = isPostgres(db)
    ? sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`
    : sql<{
        bytes: number
      }>`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`
  return (await size.execute(db)).rows[0]!.bytes
}
