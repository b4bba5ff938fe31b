import { afterAll } from 'bun:test'
import { stopPostgres } from './postgres'

// The whole run shares one Postgres; it ends with the run.
afterAll(stopPostgres)
