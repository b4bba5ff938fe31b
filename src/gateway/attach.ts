import type { Logger } from '#kernel/log'
import { type ControlPlane, ControlPlaneError } from './control-plane'
import type { DeveloperKey, DeveloperKeys } from './developer-keys'
import type { OrgKeys } from './org-key'
import type { Queue } from './queue/queue'
import type { GatewayConfig } from './recording/record'
import type { RefusalCounter } from './refusal'
import type { StateFiles } from './state-files'

const HEARTBEAT_MS = 30_000
const FIRST_RETRY_MS = 1_000
const MAX_DELIVERY_RETRY_MS = 60_000
/** Records gather this long, so that a busy gateway sends batches. */
const GATHER_MS = 250
const JITTER = 0.2
const CONFIG = 'config.json'
const KEYS = 'keys.json'

interface Keys {
  keys_version: string
  keys: DeveloperKey[]
}

interface Deps {
  /** Null: this gateway forwards and does nothing else. */
  controlPlane: ControlPlane | null
  mode: 'personal' | 'team'
  state: StateFiles
  queue: Queue
  keys: DeveloperKeys
  orgKeys: OrgKeys
  refusals: RefusalCounter
  /** Requests forwarded since the last heartbeat that was answered. */
  requests: { count: number }
  version: string
  log: Logger
  now: () => number
  heartbeatMs?: number
}

/**
 * The gateway's tie to the control plane (design C6): it tells how it is, learns its configuration and the developers'
 * keys, keeps both on disk, and delivers records. Nothing of it is ever waited for by a request.
 */
export function attachment(deps: Deps) {
  const { controlPlane, mode, state, queue, keys, refusals, requests, log, now } = deps
  const startedAt = new Date(now()).toISOString()
  let config: GatewayConfig | null = controlPlane ? (state.read<GatewayConfig>(CONFIG) ?? null) : null
  const known = controlPlane && mode === 'team' ? state.read<Keys>(KEYS) : undefined
  if (known) keys.replace(known)
  /** What keeps the two from talking, in the control plane's words; null while they do. */
  let trouble: string | null = controlPlane ? 'not attached yet' : null

  async function beat(plane: ControlPlane) {
    const counted = refusals.take()
    const forwarded = requests.count
    const oldestAt = queue.oldestAt
    let told = false
    try {
      const answer = await plane.heartbeat({
        gateway_id: queue.identity.gateway_id,
        version: deps.version,
        mode,
        config_version: config?.config_version ?? 0,
        keys_version: keys.version,
        started_at: startedAt,
        org_key_source: deps.orgKeys.source(),
        queue: { ...queue.stats, oldest_at: oldestAt === null ? null : new Date(oldestAt).toISOString() },
        refusals: counted,
        requests: forwarded,
      })
      told = true
      requests.count -= forwarded
      if (answer.config_version !== (config?.config_version ?? 0)) await fetchConfig(plane)
      if (mode === 'team' && answer.keys_version !== keys.version) await fetchKeys(plane)
    } catch (error) {
      if (!told) refusals.giveBack(counted)
      throw error
    }
  }

  async function fetchConfig(plane: ControlPlane) {
    const next = await plane.fetchChanged<GatewayConfig>('config', config?.config_version ?? null)
    if (next === 'same') return
    config = next === 'none' ? null : next
    if (config) state.write(CONFIG, config)
    else state.remove(CONFIG)
    log.info({ config_version: config?.config_version ?? null }, 'the gateway has a new configuration')
  }

  async function fetchKeys(plane: ControlPlane) {
    const next = await plane.fetchChanged<Keys>('keys', keys.version)
    if (next === 'same' || next === 'none') return
    keys.replace(next)
    state.write(KEYS, next)
  }

  function complain(error: unknown) {
    const next = reasonOf(error)
    if (next !== trouble)
      log.warn({ reason: next }, 'the gateway cannot reach its control plane; it goes on serving')
    trouble = next
  }

  return {
    get config() {
      return config
    },
    get trouble() {
      return trouble
    },

    /** Begins to tell and to deliver, until `signal` fires. */
    start(signal: AbortSignal) {
      if (!controlPlane) return
      const beating = repeat(signal, async () => {
        try {
          await beat(controlPlane)
          backOff.reset()
          // It is there again: what waits need not wait for its own next try.
          if (trouble !== null) delivering.now()
          trouble = null
          return deps.heartbeatMs ?? HEARTBEAT_MS
        } catch (error) {
          complain(error)
          // A first start waits for it, and so does everyone whose key was revoked by mistake.
          return Math.min(deps.heartbeatMs ?? HEARTBEAT_MS, backOff.next())
        }
      })
      const backOff = backingOff(HEARTBEAT_MS)
      const retry = backingOff(MAX_DELIVERY_RETRY_MS)
      const delivering = repeat(signal, async () => {
        try {
          while (await deliverNext(controlPlane)) retry.reset()
          return null
        } catch (error) {
          log.debug({ err: error }, 'records are kept until the control plane takes them')
          return retry.next()
        }
      })
      queue.onAdded(() => delivering.soon(GATHER_MS))
      beating.soon(0)
      delivering.soon(GATHER_MS)
    },
  }

  /** One batch. @returns false when there is nothing left */
  async function deliverNext(plane: ControlPlane): Promise<boolean> {
    const batch = queue.next()
    if (!batch) return false
    const { epoch } = queue.identity
    const { rejected } = await plane.deliver(batch.body, `${epoch}-${batch.lastSeq}`)
    queue.ack(
      batch,
      rejected.flatMap(({ seq }) => (seq === null ? [] : [seq])),
    )
    return true
  }
}

/**
 * Does `work` again and again, never twice at once: after as many milliseconds as it returns, or when asked with `soon`
 * where it returned null. An earlier question does not shorten a wait that `work` asked for.
 */
function repeat(signal: AbortSignal, work: () => Promise<number | null>) {
  let timer: ReturnType<typeof setTimeout> | null = null
  let busy = false
  let again = false
  const schedule = (ms: number) => {
    if (signal.aborted) return
    timer = setTimeout(run, ms)
    timer.unref()
  }
  async function run() {
    timer = null
    busy = true
    again = false
    const wait = await work()
    busy = false
    if (wait !== null) schedule(wait)
    else if (again) schedule(GATHER_MS)
  }
  signal.addEventListener('abort', () => timer && clearTimeout(timer), { once: true })
  return {
    soon(ms: number) {
      if (busy) again = true
      else if (!timer) schedule(ms)
    },
    now() {
      if (timer) clearTimeout(timer)
      timer = null
      if (busy) again = true
      else schedule(0)
    },
  }
}

/** 1 s, 2 s, 4 s … up to `maxMs`, each a little more or less, so that many gateways do not come at once. */
function backingOff(maxMs: number) {
  let ms = FIRST_RETRY_MS
  return {
    next() {
      const now = ms * (1 - JITTER / 2 + Math.random() * JITTER)
      ms = Math.min(ms * 2, maxMs)
      return now
    },
    reset() {
      ms = FIRST_RETRY_MS
    },
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ControlPlaneError)
    return error.status === 401 ? 'the service key is unknown or was revoked' : error.message
  const { code, name } = error as { code?: string; name?: string }
  return `the control plane cannot be reached (${code ?? name ?? 'unknown'})`
}
