import { join } from 'node:path'
import { hostCommand } from '#engines/host/command'
import { openMigrated } from '#kernel/db/migrate'
import { lockFolder, lockSqlite, type Opened } from '#kernel/db/open'
import { behindProxy, type Env, environmentSecret, processEnvironment } from '#kernel/env'
import { defaultOrigins, originGuard } from '#kernel/http/guard'
import { type Listener, listen } from '#kernel/http/listen'
import { controlEnvelope, type Envelope, inferenceEnvelope } from '#kernel/http/plane'
import type { Logger } from '#kernel/log'
import { secretBox } from '#kernel/secrets'
import { type ControlPlane, controlPlane } from './control/plane'
import { checkGateway, gatewayPlane, ownServiceKey } from './gateway/plane'
import { inferencePlane } from './inference/plane'
import { interfaceApp } from './interface/app'
import { placesOf, secretKeys } from './places'
import { VERSION } from './version'

export const PLANES = ['control', 'inference', 'gateway', 'interface'] as const
export type Plane = (typeof PLANES)[number]

/** How long open requests and streams may take to end, all planes together, once a stop was asked for. */
const DRAIN_MS = 8_000
/** What the planes that stop last still get for theirs. */
const LAST_DRAIN_MS = 500
/** The gateway's streams are a person's work in another program: they get longer. */
const GATEWAY_DRAIN_MS = 30_000

export interface BootOptions {
  env: Env
  planes: readonly Plane[]
  log: Logger
  /** A desktop launch keeps what `serve` leaves to the environment: secret key, artifacts, durable mode. */
  desktop: boolean
  /** The interface's files: request path → file. */
  interfaceFiles: Record<string, string>
  /** Our own program as the guard of an engine, where it is not the one that runs. */
  engineGuard?: readonly string[]
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
export async function boot(options: BootOptions): Promise<Running> {
  const { env, planes, log, desktop } = options
  await using cleanup = new AsyncDisposableStack()
  if (planes.includes('gateway')) checkGateway(env)
  const listeners = takePorts(planes, env, log, cleanup)
  const addresses = addressesOf(env, listeners)
  const origins =
    env.SERVICE_CORS_ORIGINS ?? defaultOrigins(listeners.interface?.port ?? env.SERVICE_INTERFACE_PORT)
  const drainMs = drainTimer()
  const context: Context = {
    ...options,
    now: options.now ?? Date.now,
    places: placesOf(env, desktop),
    addresses,
    origins,
    cleanup,
    serve(listener, handle, envelope) {
      listener.serve({ handle, envelope, guard: originGuard({ host: listener.host, origins }) })
      // From here on a stop drains this listener before what its plane needs is closed.
      cleanup.defer(() => listener.stop(drainMs()))
    },
  }

  // A stop goes the other way round: the inference plane serves until the control plane's runs have ended.
  if (listeners.inference) await startInference(listeners.inference, context)
  const control = listeners.control && (await startControl(listeners.control, context))
  if (listeners.gateway) {
    const local = control && { plane: control, url: listeners.control!.url }
    await startGateway(listeners.gateway, local, context)
  }
  if (listeners.interface) startInterface(listeners.interface, context)

  const urls = Object.fromEntries(Object.entries(listeners).map(([plane, { url }]) => [plane, url]))
  const running = cleanup.move()
  return { urls, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

interface Context extends BootOptions {
  now: () => number
  places: ReturnType<typeof placesOf>
  addresses: ReturnType<typeof addressesOf>
  origins: string[]
  cleanup: AsyncDisposableStack
  serve(
    listener: Listener,
    handle: (request: Request) => Response | Promise<Response>,
    envelope: Envelope,
  ): void
}

async function startInference(listener: Listener, context: Context) {
  const { env, log, places, engineGuard, now, cleanup, serve } = context
  cleanup.use(lockFolder(places.inferenceStateDir, 'SERVICE_INFERENCE_PLANE_STATE_DIR'))
  const plane = await inferencePlane({
    env,
    log,
    version: VERSION,
    stateDir: places.inferenceStateDir,
    modelDir: places.modelDir,
    enginesDir: join(places.dataDir, 'engines'),
    environment: processEnvironment(),
    engineHost: hostCommand(),
    environmentSecret,
    guard: engineGuard,
    now,
  })
  cleanup.defer(() => plane.stop())
  serve(listener, plane.app.handle, inferenceEnvelope)
}

async function startControl(
  listener: Listener,
  { env, log, desktop, places, addresses, origins, now, cleanup, serve }: Context,
) {
  const secrets = secretBox(secretKeys(env, desktop, places.dataDir))
  if (secrets.ephemeral)
    log.warn('SERVICE_SECRET_KEY is not set: stored secrets cannot be read after a restart.')
  const database = cleanup.use(await openAndMigrate(places.databaseUrl, log, cleanup))
  const plane = await controlPlane({
    database,
    env,
    secrets,
    log,
    version: VERSION,
    inferenceUrl: addresses.inference,
    baseUrl: addresses.control,
    origins,
    durable: env.SERVICE_DURABLE ?? desktop,
    artifactDir: places.artifactDir,
    now,
  })
  cleanup.defer(() => plane.stop())
  serve(listener, plane.app.handle, controlEnvelope)
  return plane
}

/** `local`: the control plane of this process, which a personal gateway attaches to by itself, with a key of its own. */
async function startGateway(
  listener: Listener,
  local: { plane: ControlPlane; url: string } | undefined,
  { env, log, places, addresses, origins, now, cleanup }: Context,
) {
  const given = env.SERVICE_GATEWAY_SERVICE_KEY
  const ownKey = given === undefined && local ? ownServiceKey() : undefined
  const plane = gatewayPlane({
    env,
    log,
    version: VERSION,
    stateDir: places.gatewayStateDir,
    host: listener.host,
    attach:
      given !== undefined
        ? { url: env.SERVICE_CONTROL_PLANE_URL ?? local?.url ?? addresses.control, serviceKey: given }
        : ownKey === undefined
          ? null
          : { url: local!.url, serviceKey: ownKey },
    origins,
    proxied: behindProxy(),
    now,
  })
  cleanup.defer(() => plane.stop())
  if (ownKey !== undefined) await local!.plane.attachLocalGateway(plane.gatewayId, ownKey)
  listener.serveDirectly(plane.handle)
  cleanup.defer(() => listener.stop(GATEWAY_DRAIN_MS))
  plane.start()
}

function startInterface(listener: Listener, { addresses, interfaceFiles, serve }: Context) {
  const { control, inference, gateway } = addresses
  const planes = { control, inference: inference.replace(/\/v1$/, ''), gateway }
  serve(
    listener,
    interfaceApp({ files: interfaceFiles, addresses: planes, version: VERSION }),
    controlEnvelope,
  )
}

/** Where the planes find one another: what the environment says, else this process, else the usual ports. */
function addressesOf(env: Env, { control, inference, gateway }: Partial<Record<Plane, Listener>>) {
  const local = (port: number) => `http://127.0.0.1:${port}`
  return {
    control: env.SERVICE_CONTROL_PLANE_URL ?? control?.url ?? local(env.SERVICE_CONTROL_PLANE_PORT),
    inference:
      env.SERVICE_INFERENCE_PLANE_URL ?? `${inference?.url ?? local(env.SERVICE_INFERENCE_PLANE_PORT)}/v1`,
    gateway: env.SERVICE_GATEWAY_URL ?? gateway?.url ?? local(env.SERVICE_GATEWAY_PORT),
  }
}

/** Milliseconds left for streams to end; the clock starts with the first question. */
function drainTimer(): () => number {
  let deadline: number | undefined
  return () => {
    deadline ??= performance.now() + DRAIN_MS
    return Math.max(LAST_DRAIN_MS, deadline - performance.now())
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

async function openAndMigrate(url: string, log: Logger, cleanup: AsyncDisposableStack): Promise<Opened> {
  const { database, applied } = await openMigrated(url, ({ kind, database: file }) => {
    if (kind === 'sqlite') cleanup.use(lockSqlite(file))
  })
  if (applied.length > 0) log.info({ applied }, 'database brought up to date')
  return database
}
