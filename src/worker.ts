import { openMigrated } from '#kernel/db/migrate'
import { type Env, workerHost } from '#kernel/env'
import { StartError } from '#kernel/errors'
import type { Logger } from '#kernel/log'
import { secretBox } from '#kernel/secrets'
import { controlWorker } from './control/plane'
import { placesOf, secretKeys } from './places'
import { VERSION } from './version'

/**
 * `tycho worker`: takes durable runs of a hosted install from the queue that it shares with its control planes. It
 * listens on no port.
 * @throws {StartError} a sentence for a person
 */
export async function startWorker({ env, log }: { env: Env; log: Logger }): Promise<AsyncDisposable> {
  const places = placesOf(env, false)
  if (places.databaseUrl.startsWith('sqlite:')) {
    throw new StartError(
      'A worker needs the Postgres of a hosted install: set DATABASE_URL to postgres://…. With SQLite the one process does its durable runs itself (SERVICE_DURABLE=true).',
    )
  }
  await using cleanup = new AsyncDisposableStack()
  const { database } = await openMigrated(places.databaseUrl)
  cleanup.use(database)
  const inferenceUrl =
    env.SERVICE_INFERENCE_PLANE_URL ?? `http://127.0.0.1:${env.SERVICE_INFERENCE_PLANE_PORT}/v1`
  const worker = await controlWorker({
    database,
    env,
    secrets: secretBox(secretKeys(env, false, places.dataDir)),
    log,
    version: VERSION,
    inferenceUrl,
    baseUrl: '',
    origins: [],
    durable: true,
    artifactDir: places.artifactDir,
    now: Date.now,
  })
  cleanup.defer(() => worker.stop())
  log.info({ worker: workerHost, inference: inferenceUrl }, 'takes durable runs')
  const running = cleanup.move()
  return { [Symbol.asyncDispose]: () => running.disposeAsync() }
}
