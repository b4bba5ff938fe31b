import { openMigrated } from '#kernel/db/migrate'
import type { Env } from '#kernel/env'
import { placesOf } from './places'

/** `tycho migrate`: for installs that bring the database up to date before they start anything. */
export async function migrateOnly(env: Env) {
  const { database, applied } = await openMigrated(placesOf(env, false).databaseUrl)
  await database[Symbol.asyncDispose]()
  console.log(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database is up to date.')
}
