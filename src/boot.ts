import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '#kernel/db/migrate'
import { lockSqlite, type Opened, openDatabase } from '#kernel/db/open'
import { defaultDataDir, type Env, environmentSecret } from '#kernel/env'
import { defaultOrigins, originGuard } from '#kernel/http/guard'
import { type Listener, listen } from '#kernel/http/listen'
import { controlEnvelope, inferenceEnvelope } from '#kernel/http/plane'
import type { Logger } from '#kernel/log'
import { secretBox } from '#kernel/secrets'
import { controlPlane } from './control/plane'
import { gatewayApp } from './gateway/app'
import { inferencePlane } from './inference/plane'
import { interfaceApp } from './interface/app'
import { VERSION } from './version'

export const PLANES = ['control', 'inference', 'gateway', 'interface'] as const
export type Plane = (typeof PLANES)[number]

export interface BootOptions {
  env: Env
  planes: readonly Plane[]
  log: Logger
  /** A desktop launch keeps what `serve` leaves to the environment: secret key, artifacts, durable mode. */
  desktop: boolean
  /** The interface's files: request path → file. */
  interfaceFiles: Record<string, string>
  now?: () => number
}

export interface Running extends AsyncDisposable {
  /** Base addresses of the planes that run here. */
  urls: Partial<Record<Plane, string>>
}

/**
 * Starts the picked planes: first every port, then what they need, so that a taken port leaves nothing half started.
 * @throws {StartError} a sentence for a person
 */
export async function boot({
  env,
  planes,
  log,
  desktop,
  interfaceFiles,
  now = Date.now,
}: BootOptions): Promise<Running> {
  await using cleanup = new AsyncDisposableStack()
  const places = placesOf(env, desktop)
  const listeners = takePorts(planes, env, log, cleanup)
  const urls = Object.fromEntries(
    Object.entries(listeners).map(([plane, { url }]) => [plane, url]),
  ) as Running['urls']

  const controlUrl =
    env.SERVICE_CONTROL_PLANE_URL ?? urls.control ?? `http://127.0.0.1:${env.SERVICE_CONTROL_PLANE_PORT}`
  const inferenceUrl =
    env.SERVICE_INFERENCE_PLANE_URL ??
    `${urls.inference ?? `http://127.0.0.1:${env.SERVICE_INFERENCE_PLANE_PORT}`}/v1`
  const gatewayUrl = urls.gateway ?? `http://127.0.0.1:${env.SERVICE_GATEWAY_PORT}`
  const origins =
    env.SERVICE_CORS_ORIGINS ?? defaultOrigins(listeners.interface?.port ?? env.SERVICE_INTERFACE_PORT)
  const guardFor = (listener: Listener) => originGuard({ host: listener.host, origins })

  if (listeners.inference) {
    const plane = await inferencePlane({
      log,
      version: VERSION,
      stateDir: places.inferenceStateDir,
      modelDir: places.modelDir,
      environmentSecret,
      now,
    })
    cleanup.defer(() => plane.stop())
    serve(
      listeners.inference,
      { handle: plane.app.handle, guard: guardFor(listeners.inference), envelope: inferenceEnvelope },
      cleanup,
    )
  }

  if (listeners.control) {
    const secrets = secretBox(secretKeys(env, desktop, places.dataDir))
    if (secrets.ephemeral) {
      log.warn('SERVICE_SECRET_KEY is not set: stored secrets cannot be read after a restart.')
    }
    const database = cleanup.use(await openAndMigrate(places.databaseUrl, log, cleanup))
    const plane = await controlPlane({
      database,
      env,
      secrets,
      log,
      version: VERSION,
      inferenceUrl,
      baseUrl: controlUrl,
      origins,
      durable: env.SERVICE_DURABLE ?? desktop,
      artifactDir: places.artifactDir,
      now,
    })
    cleanup.defer(() => plane.stop())
    serve(
      listeners.control,
      { handle: plane.app.handle, guard: guardFor(listeners.control), envelope: controlEnvelope },
      cleanup,
    )
  }

  if (listeners.gateway) {
    const app = gatewayApp({ log, version: VERSION, controlPlaneUrl: controlUrl })
    serve(
      listeners.gateway,
      { handle: app.handle, guard: guardFor(listeners.gateway), envelope: controlEnvelope },
      cleanup,
    )
  }

  if (listeners.interface) {
    const addresses = {
      control: controlUrl,
      inference: inferenceUrl.replace(/\/v1$/, ''),
      gateway: gatewayUrl,
    }
    const handle = interfaceApp({ files: interfaceFiles, addresses, version: VERSION })
    serve(
      listeners.interface,
      { handle, guard: guardFor(listeners.interface), envelope: controlEnvelope },
      cleanup,
    )
  }

  const closing = cleanup.move()
  return { urls, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

/** Where everything is kept. `serve` takes the environment literally; a desktop launch keeps all in the data folder. */
export function placesOf(env: Env, desktop: boolean) {
  const dataDir = env.SERVICE_DATA_DIR ?? defaultDataDir()
  const inferenceStateDir = env.SERVICE_INFERENCE_PLANE_STATE_DIR ?? join(dataDir, 'inference')
  return {
    dataDir,
    databaseUrl: env.DATABASE_URL ?? `sqlite:${join(dataDir, 'tycho.db')}`,
    inferenceStateDir,
    modelDir: env.SERVICE_INFERENCE_PLANE_MODEL_DIR ?? join(inferenceStateDir, 'models'),
    artifactDir:
      env.SERVICE_ARTIFACT_DIR ?? (desktop ? join(dataDir, 'artifacts') : join(tmpdir(), 'tycho-artifacts')),
  }
}

function takePorts(planes: readonly Plane[], env: Env, log: Logger, cleanup: AsyncDisposableStack) {
  const wanted = {
    control: {
      name: 'control plane',
      host: env.SERVICE_HOST,
      port: env.SERVICE_CONTROL_PLANE_PORT,
      variable: 'SERVICE_CONTROL_PLANE_PORT',
    },
    inference: {
      name: 'inference plane',
      host: env.SERVICE_HOST,
      port: env.SERVICE_INFERENCE_PLANE_PORT,
      variable: 'SERVICE_INFERENCE_PLANE_PORT',
    },
    gateway: {
      name: 'AI gateway',
      host: env.SERVICE_GATEWAY_HOST,
      port: env.SERVICE_GATEWAY_PORT,
      variable: 'SERVICE_GATEWAY_PORT',
    },
    interface: {
      name: 'interface',
      host: env.SERVICE_HOST,
      port: env.SERVICE_INTERFACE_PORT,
      variable: 'SERVICE_INTERFACE_PORT',
    },
  }
  const taken: Partial<Record<Plane, Listener>> = {}
  for (const plane of planes) {
    const listener = listen({ ...wanted[plane], log })
    taken[plane] = listener
    // A start that fails lets the port go at once; a running plane drains first (see `serve`).
    cleanup.defer(() => listener.stop(0))
  }
  return taken
}

/** From here on a stop drains this listener before what its plane needs is closed. */
function serve(listener: Listener, service: Parameters<Listener['serve']>[0], cleanup: AsyncDisposableStack) {
  listener.serve(service)
  cleanup.defer(() => listener.stop())
}

async function openAndMigrate(url: string, log: Logger, cleanup: AsyncDisposableStack): Promise<Opened> {
  const database = openDatabase(url)
  if (database.kind === 'sqlite') cleanup.use(lockSqlite(database.database))
  const applied = await migrate(database.db)
  if (applied.length > 0) log.info({ applied }, 'database brought up to date')
  return database
}

/** The keys of the environment; a desktop launch without any makes one and keeps it, readable by the owner only. */
function secretKeys(env: Env, desktop: boolean, dataDir: string): string[] {
  const given =
    env.SERVICE_SECRET_KEY?.split(',')
      .map((key) => key.trim())
      .filter(Boolean) ?? []
  if (given.length > 0 || !desktop) return given
  const file = join(dataDir, 'secret.key')
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  }
  chmodSync(file, 0o600)
  return [readFileSync(file, 'utf8').trim()]
}
