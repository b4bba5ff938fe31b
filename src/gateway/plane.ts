import { randomBytes } from 'node:crypto'
import type { Env } from '#kernel/env'
import { AppError, StartError } from '#kernel/errors'
import { readBytes } from '#kernel/http/body'
import { originGuard } from '#kernel/http/guard'
import type { Peer } from '#kernel/http/listen'
import type { Logger } from '#kernel/log'
import { TOKEN_PREFIX } from '#kernel/tokens'
import { admission, SOMEBODY_HERE } from './admission'
import { gatewayApp } from './app'
import { attachment } from './attach'
import { controlPlaneClient } from './control-plane'
import { developerKeys } from './developer-keys'
import { outgoingHeaders } from './headers'
import { foreignPage, isLoopbackHost, strangerTo } from './loopback'
import { orgKeys } from './org-key'
import { openQueue } from './queue/queue'
import { recorder } from './recording/recorder'
import { type Refusal, refusalCounter, refuse } from './refusal'
import { isRefusal, type RelayTimes, relay, relayTimes } from './relay'
import type { Readiness } from './schema'
import { stateFiles } from './state-files'
import { targetOf } from './target'

/** Client tools send whole projects as context. */
const MAX_BODY_BYTES = 64 * 1024 * 1024
const LOCAL_PATHS = ['/healthz', '/readyz', '/openapi.json']

export interface GatewayDeps {
  env: Env
  log: Logger
  version: string
  stateDir: string
  /** As the listener was bound. */
  host: string
  /** Null: attached to none. */
  attach: { url: string; serviceKey: string } | null
  /** The interface's, which may read `/healthz` and `/readyz`. */
  origins: string[]
  /** The environment names an HTTP proxy. */
  proxied: boolean
  now: () => number
  /** Tests shorten them. */
  times?: Partial<RelayTimes>
  heartbeatMs?: number
}

/**
 * What keeps a gateway from starting, as one line for a person.
 * @throws {StartError}
 */
export function checkGateway(env: Env) {
  const team = env.SERVICE_GATEWAY_AUTH_MODE === 'team'
  if (!team && !isLoopbackHost(env.SERVICE_GATEWAY_HOST)) {
    throw new StartError(
      `A personal AI gateway listens on loopback only, not on ${env.SERVICE_GATEWAY_HOST}. Unset SERVICE_GATEWAY_HOST, or set SERVICE_GATEWAY_AUTH_MODE=team.`,
    )
  }
  const key = env.SERVICE_GATEWAY_SERVICE_KEY
  if (team && key === undefined) {
    throw new StartError(
      'An AI gateway in team mode needs SERVICE_GATEWAY_SERVICE_KEY. An admin makes one under Gateway, Settings.',
    )
  }
  if (key !== undefined && !key.startsWith(TOKEN_PREFIX.service_key)) {
    throw new StartError(
      `SERVICE_GATEWAY_SERVICE_KEY must be a service key, which starts with ${TOKEN_PREFIX.service_key}.`,
    )
  }
}

/** A key that a gateway makes for itself, where the control plane is in the same process and can be told its digest. */
export const ownServiceKey = (): string => TOKEN_PREFIX.service_key + randomBytes(32).toString('base64url')

/** Builds the gateway. It serves at once; what it learns of the control plane comes beside. */
export function gatewayPlane(deps: GatewayDeps) {
  const { env, log, version, host, attach, now } = deps
  const mode = env.SERVICE_GATEWAY_AUTH_MODE
  if (mode === 'team' && !isLoopbackHost(host))
    log.warn({ host }, 'the AI gateway speaks plain HTTP beyond this machine: put TLS in front of it')
  const background = new AbortController()
  const state = stateFiles(deps.stateDir)
  const queue = openQueue({ state, maxBytes: env.SERVICE_GATEWAY_QUEUE_MAX_BYTES, log, now })
  const keys = developerKeys()
  const organization = orgKeys({
    state,
    environment: {
      anthropic: env.SERVICE_GATEWAY_ORG_API_KEY,
      openai: env.SERVICE_GATEWAY_ORG_OPENAI_API_KEY,
    },
  })
  const refusals = refusalCounter()
  const requests = { count: 0 }
  const controlPlane = attach && controlPlaneClient(attach)
  const attached = attachment({
    controlPlane,
    mode,
    state,
    queue,
    keys,
    orgKeys: organization,
    refusals,
    requests,
    version,
    log,
    now,
    heartbeatMs: deps.heartbeatMs,
  })
  const records = recorder({
    config: () => attached.config,
    machineKey: state.machineKey(),
    queue,
    log,
    now,
  })
  const forward = relay({
    upstreams: {
      anthropic: env.SERVICE_GATEWAY_UPSTREAM_URL,
      openai: env.SERVICE_GATEWAY_UPSTREAM_OPENAI_URL,
    },
    times: { ...relayTimes(env.SERVICE_GATEWAY_UPSTREAM_TIMEOUT_S), ...deps.times },
    proxied: deps.proxied,
  })
  const admit = admission({ keys, orgKeys: organization })
  const origins = new Set(deps.origins)
  const stranger = strangerTo(origins)
  const admins = env.SERVICE_GATEWAY_ADMIN_ORIGINS ?? []
  const app = gatewayApp(
    { readiness, admin: mode === 'team' && controlPlane ? { orgKeys: organization, controlPlane } : null },
    deps,
  )

  function readiness(): Readiness {
    const ready = mode === 'personal' || keys.loaded
    const reasons = [
      ...(ready ? [] : ['The keys of the developers are not loaded yet.']),
      ...(attached.trouble === null ? [] : [`Control plane: ${attached.trouble}.`]),
      ...(queue.stats.dropped > 0 ? ['Records are being dropped: the queue or the disk is full.'] : []),
    ]
    return {
      status: ready ? 'ready' : 'not-ready',
      gateway_id: queue.identity.gateway_id,
      mode,
      config_version: attached.config?.config_version ?? null,
      keys_version: keys.version,
      control_plane_url: controlPlane?.url ?? null,
      observer: attached.config?.observer ?? false,
      recording: records.recording,
      queue_records: queue.stats.records,
      reasons,
    }
  }

  async function handle(request: Request, peer: Peer): Promise<Response> {
    const target = targetOf(request)
    const { path } = target
    if (LOCAL_PATHS.includes(path)) return local(request, deps.origins, peer)
    if (path.startsWith('/admin/')) return local(request, admins, peer)
    const refused = stops(request, peer)
    if (refused) return refusal(refused)
    if (path === '/' && request.method === 'HEAD') return new Response(null)
    try {
      return await passOn(request, target)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return refusal({ code: 'payload_too_large', message: 'The gateway takes bodies of at most 64 MiB.' })
    }
  }

  function stops(request: Request, { address, stopping }: Peer): Refusal | null {
    const { headers } = request
    const refused = mode === 'personal' ? stranger(headers, address) : foreignPage(headers, origins)
    if (refused) return refused
    if (headers.has('upgrade')) {
      return {
        code: 'upgrade_required',
        message: 'This gateway speaks HTTP with server-sent events, not WebSocket.',
      }
    }
    return stopping
      ? { code: 'shutting_down', message: 'The gateway is stopping. Try again in a moment.' }
      : null
  }

  async function passOn(request: Request, target: ReturnType<typeof targetOf>): Promise<Response> {
    const headers = outgoingHeaders(request)
    const caller = mode === 'team' ? admit(request, target, headers) : SOMEBODY_HERE
    if (isRefusal(caller)) return refusal(caller)
    const body = await bodyOf(request)
    requests.count++
    const forwarded = { request, target, headers, body, caller }
    const observer = records.begin(forwarded)
    if (observer) headers.set('accept-encoding', 'identity')
    const answer = await forward(forwarded, observer)
    return isRefusal(answer) ? refusal(answer) : answer
  }

  function refusal(refused: Refusal): Response {
    refusals.add(refused.code)
    return refuse(refused)
  }

  /** The few answers of its own: pages of `allowed` may read them. */
  async function local(request: Request, allowed: string[], peer: Peer): Promise<Response> {
    const guard = originGuard({ host: '127.0.0.1', origins: allowed })
    const refused =
      mode === 'personal'
        ? strangerTo(new Set(allowed))(request.headers, peer.address)
        : foreignPage(request.headers, new Set(allowed))
    if (refused) return refuse(refused)
    const answer = guard.preflight(request) ?? (await app.handle(request))
    for (const [name, value] of Object.entries(guard.corsHeaders(request))) answer.headers.set(name, value)
    return answer
  }

  return {
    gatewayId: queue.identity.gateway_id,
    handle,

    start() {
      attached.start(background.signal)
    },

    /** After the listener: what still streams has ended by then, and its records are written. */
    async stop() {
      await records.finish()
      background.abort()
      queue.close()
    },
  }
}

/** A body whose length was said is read in one go; what says none is counted as it comes. */
async function bodyOf(request: Request): Promise<Uint8Array<ArrayBuffer> | null> {
  if (request.method === 'GET' || request.method === 'HEAD') return null
  const length = request.headers.get('content-length')
  if (length !== null && Number(length) <= MAX_BODY_BYTES) return request.bytes()
  // What a request holds is a buffer of its own, never a shared one.
  return request.body ? ((await readBytes(request, MAX_BODY_BYTES)) as Uint8Array<ArrayBuffer>) : null
}
