import { migrate } from '#kernel/db/migrate'
import { openDatabase } from '#kernel/db/open'
import type { Env } from '#kernel/env'
import { placesOf } from './places'

/** `tycho migrate`: for installs that bring the database up to date before they start anything. */
export async function migrateOnly(env: Env) {
  await using database = openDatabase(placesOf(env, false).databaseUrl)
  const applied = await migrate(database.db)
  console.log(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database is up to date.')
}
