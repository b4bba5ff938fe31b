import { existsSync } from 'node:fs'
import SqliteDatabase from 'better-sqlite3'
import type { Env } from '#kernel/env'
import { StartError } from '#kernel/errors'
import { placesOf } from './places'

/**
 * `tycho backup <file>`: a consistent copy of the SQLite database, also while Tycho serves it: SQLite copies page by
 * page and starts over where a writer was faster.
 */
export async function backup(env: Env, target: string) {
  const { databaseUrl } = placesOf(env, true)
  const file = /^sqlite:(.+)$/.exec(databaseUrl)?.[1]
  if (!file) throw new StartError('Only a SQLite install is backed up this way; for Postgres use pg_dump.')
  if (!existsSync(file)) throw new StartError(`There is no database at ${file} yet.`)
  if (existsSync(target)) throw new StartError(`${target} exists already; name a new file.`)
  const database = new SqliteDatabase(file, { readonly: true })
  try {
    await database.backup(target)
  } finally {
    database.close()
  }
  console.log(`Copied ${file} to ${target}.`)
}
