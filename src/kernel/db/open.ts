import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { Kysely, PostgresDialect, type SqliteDatabase as SqliteDatabaseOfKysely, SqliteDialect } from 'kysely'
import { Pool, types } from 'pg'
import { StartError } from '../errors'
import type { Db, Tables } from './tables'

/** How long a writer waits for another process's lock (a backup, `tycho migrate`) before it fails. */
const BUSY_TIMEOUT_MS = 5_000
const POSTGRES_POOL = 10
const POSTGRES_CONNECT_MS = 10_000
/** A process that is frozen in the middle of a transaction must not lock rows for longer than its lease holds. */
const POSTGRES_IDLE_IN_TRANSACTION_MS = 10_000
const INT8_OID = 20

export interface Opened extends AsyncDisposable {
  db: Db
  kind: 'sqlite' | 'postgres'
  /** For people: the file, or host and database of the server; never a credential. */
  host: string
  database: string
  /** What it was opened by, credentials included: for what opens connections of its own. */
  address: string
}

/**
 * Opens what `DATABASE_URL` names. Only this file and `portable.ts` know which database is behind `Db`.
 * @throws {StartError} for an address that is neither
 */
export function openDatabase(url: string): Opened {
  // SQLAlchemy's spelling of an async driver, `postgresql+asyncpg://`, means the same server.
  const address = url.replace(/^(postgres(?:ql)?)\+\w+:/, '$1:')
  if (/^postgres(ql)?:\/\//.test(address)) return openPostgres(address)
  if (address.startsWith('sqlite:')) return openSqlite(address.replace(/^sqlite:(\/\/(?=\/))?/, ''))
  throw new StartError('DATABASE_URL must start with postgres://, postgresql:// or sqlite:.')
}

export function openSqlite(path: string): Opened {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const sqlite = new SqliteDatabase(path, { timeout: BUSY_TIMEOUT_MS })
  sqlite.pragma('journal_mode = WAL')
  // NORMAL never corrupts and loses nothing when the process dies; only a power cut may take the last commits, which
  // costs an interactive run or two. FULL would sync the disk on each of a run's writes.
  sqlite.pragma('synchronous = NORMAL')
  sqlite.pragma('foreign_keys = ON')
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: withStatementCache(sqlite) }) })
  return {
    db,
    kind: 'sqlite',
    host: '',
    database: path,
    address: `sqlite:${path}`,
    [Symbol.asyncDispose]: () => db.destroy(),
  }
}

/** Compiled statements that are kept; the product has some hundreds, and lists of changing length make more. */
const KEPT_STATEMENTS = 500

/** Compiling a statement costs more than running it, and the queries are always the same ones. */
function withStatementCache(sqlite: SqliteDatabase.Database): SqliteDatabaseOfKysely {
  const statements = new Map<string, SqliteDatabase.Statement>()
  return {
    close: () => void sqlite.close(),
    prepare(text) {
      const statement = statements.get(text) ?? sqlite.prepare(text)
      // The latest used is the last, so that the first is the one to drop.
      statements.delete(text)
      statements.set(text, statement)
      if (statements.size > KEPT_STATEMENTS) statements.delete(statements.keys().next().value!)
      return statement
    },
  }
}

function openPostgres(address: string): Opened {
  const pool = new Pool({
    connectionString: address,
    max: POSTGRES_POOL,
    connectionTimeoutMillis: POSTGRES_CONNECT_MS,
    idle_in_transaction_session_timeout: POSTGRES_IDLE_IN_TRANSACTION_MS,
    // Our bigints are times and counts, which a double holds; nanoseconds are read as text.
    types: {
      getTypeParser: (oid, format) =>
        oid === INT8_OID ? Number : types.getTypeParser(oid, format as 'text'),
    },
  })
  // An idle connection that the server drops is replaced on the next use; without a listener it would end the process.
  pool.on('error', () => {})
  // The same within a transaction, whose next statement then fails.
  pool.on('connect', (client) => void client.on('error', () => {}))
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  const { host, pathname } = new URL(address)
  return {
    db,
    kind: 'postgres',
    host,
    database: pathname.slice(1),
    address,
    [Symbol.asyncDispose]: () => db.destroy(),
  }
}

/**
 * Keeps a second process from serving the same SQLite file, until this one ends, however it ends: the lock is the
 * operating system's, on a file beside the database. Without it a restart could not tell dead runs from live ones.
 * @throws {StartError} when another process holds it
 */
export function lockSqlite(path: string): Disposable {
  if (path === ':memory:') return { [Symbol.dispose]() {} }
  return lockFile(
    `${path}.lock`,
    `Another Tycho already serves ${path}. Stop it, or set SERVICE_DATA_DIR or DATABASE_URL.`,
  )
}

/** The same for a folder of files, which two processes would write over one another. @throws {StartError} */
export function lockFolder(folder: string, variable: string): Disposable {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return lockFile(
    join(folder, 'lock'),
    `Another Tycho already serves ${folder}. Stop it, or set SERVICE_DATA_DIR or ${variable}.`,
  )
}

function lockFile(path: string, refusal: string): Disposable {
  const lock = new SqliteDatabase(path, { timeout: 0 })
  try {
    lock.pragma('journal_mode = MEMORY')
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error
    throw new StartError(refusal)
  }
  return { [Symbol.dispose]: () => void lock.close() }
}
