import { afterAll } from 'bun:test'
import { stopPostgres } from './postgres'
import { removeFolders } from './process'

// The whole run shares one Postgres; it ends with the run.
afterAll(stopPostgres)
afterAll(removeFolders)
