import { openMigrated } from '#kernel/db/migrate'
import { processEnvironment, readEnv } from '#kernel/env'
import { silentLogger } from '#kernel/log'
import { secretBox } from '#kernel/secrets'
import { controlPlane } from '../../src/control/plane'

/**
 * A control plane as a process of its own, which can be killed, and whose clock shows what it is told on its standard
 * input: epoch milliseconds, a line each. It looks at its schedules all the time.
 */
const env = readEnv(processEnvironment())
let clock = 0
const told = Promise.withResolvers<void>()
process.stdin.on('data', (lines: Buffer) => {
  clock = Number(lines.toString().trim().split('\n').at(-1))
  told.resolve()
})
await told.promise
const { database } = await openMigrated(env.DATABASE_URL!)
await controlPlane({
  database,
  env,
  secrets: secretBox(['a key for tests']),
  log: silentLogger(),
  version: 'test',
  inferenceUrl: 'http://127.0.0.1:1/v1',
  baseUrl: '',
  origins: [],
  durable: true,
  artifactDir: env.SERVICE_ARTIFACT_DIR!,
  now: () => clock,
  triggerLimits: { tickMs: 5 },
})
process.stdout.write('ready\n')
