import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import type { Principal } from '#kernel/http/plane'
import { isoTime, isoTimeOrNull } from '#kernel/http/shapes'
import { newId } from '#kernel/ids'
import { hashToken, mintToken } from '#kernel/tokens'
import { checkedConfig, configOf } from './config'
import type { GatewayKeyService } from './keys'
import type { Gateway, GatewayConfig, Heartbeat, SaveConfig, UpdateGateway } from './schema'
import { type GatewayRow, gatewayStore } from './store'

const SHOWN_CHARACTERS = 13
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Three heartbeats. */
const ONLINE_MS = 90_000
const TICKET_MS = 60_000
const MAX_REFUSAL_CODES = 50

interface Deps {
  db: Db
  keys: GatewayKeyService
  version: string
  now: () => number
}

export type GatewayService = ReturnType<typeof gatewayService>

/** Gateways as admins manage them, and as they report. */
export function gatewayService({ db, keys, version, now }: Deps) {
  const store = gatewayStore(db)

  async function presentAll(rows: GatewayRow[]): Promise<Gateway[]> {
    const { keys_version } = await keys.digests()
    const refusals = await store.refusalsSince(now() - DAY_MS)
    return rows.map((row) => {
      const own = refusals.filter(({ gateway_id }) => gateway_id === row.id)
      return present(row, {
        version,
        keysVersion: keys_version,
        now: now(),
        refusals: Object.fromEntries(own.map(({ code, count }) => [code, Number(count)])),
      })
    })
  }

  async function found(id: string): Promise<GatewayRow> {
    const row = await store.byId(id)
    if (!row) throw notFound()
    return row
  }

  const newRow = (name: string, token: string, localId: string | null) => ({
    id: newId('gateway', now()),
    name,
    enabled: 1,
    token_hash: hashToken(token),
    token_prefix: token.slice(0, SHOWN_CHARACTERS),
    local_id: localId,
    config_version: 0,
    config: null,
    last_heartbeat_at: null,
    heartbeat: null,
    created_at: now(),
    updated_at: now(),
  })

  return {
    async list() {
      return { gateways: await presentAll(await store.all()) }
    },

    async create(name: string) {
      const token = mintToken('service_key')
      const row = await store.insert(newRow(name.trim(), token, null))
      return { gateway: (await presentAll([row]))[0]!, service_key: token }
    },

    /** A gateway of this process, with the key that it made for this time. */
    attachLocal: (localId: string, token: string) => store.upsertLocal(newRow(hostname(), token, localId)),

    /** @throws {AppError} `gateway_not_found` */
    async update(id: string, { name, enabled }: UpdateGateway): Promise<Gateway> {
      const row = await store.update(id, {
        ...(name === undefined ? {} : { name: name.trim() }),
        ...(enabled === undefined ? {} : { enabled: enabled ? 1 : 0 }),
        updated_at: now(),
      })
      if (!row) throw notFound()
      return (await presentAll([row]))[0]!
    },

    /** Its records and totals stay. @throws {AppError} `gateway_not_found` */
    async remove(id: string) {
      const { numDeletedRows } = await store.remove(id)
      if (numDeletedRows === 0n) throw notFound()
    },

    /** @throws {AppError} `gateway_not_found` */
    config: async (id: string): Promise<GatewayConfig> => configOf(await found(id)),

    /** @throws {AppError} `gateway_not_found`, `invalid_gateway_config` */
    async saveConfig(id: string, given: SaveConfig): Promise<GatewayConfig> {
      const row = await store.saveConfig(id, checkedConfig(given), now())
      if (!row) throw notFound()
      return configOf(row)
    },

    /** A pass for one gateway's settings that opens once, within a minute. @throws {AppError} `gateway_not_found` */
    async ticket(id: string, { userId }: Principal) {
      await found(id)
      const ticket = `tygt_${randomBytes(32).toString('base64url')}`
      const expiresAt = now() + TICKET_MS
      await store.removeTicketsBefore(now())
      await store.insertTicket({
        token_hash: hashToken(ticket),
        gateway_id: id,
        user_id: userId,
        expires_at: expiresAt,
      })
      return { ticket, expires_at: isoTime(expiresAt) }
    },

    /** Who brought a ticket to this gateway. @throws {AppError} `invalid_ticket` */
    async verifyTicket({ id }: GatewayRow, ticket: string) {
      const used = await store.takeTicket(hashToken(ticket), id)
      const user = used && used.expires_at > now() ? await store.userById(used.user_id) : undefined
      if (!user || user.disabled === 1)
        throw new AppError('invalid_ticket', 'This ticket is unknown, used or over its time.')
      return { user_id: user.id, role: user.role }
    },

    /** The gateway behind a service key, or null. */
    byServiceKey: async (token: string): Promise<GatewayRow | null> =>
      (await store.byToken(hashToken(token))) ?? null,

    async heartbeat(gateway: GatewayRow, heartbeat: Heartbeat) {
      const at = now()
      await store.update(gateway.id, { last_heartbeat_at: at, heartbeat: JSON.stringify(heartbeat) })
      const counted = Object.entries(heartbeat.refusals).slice(0, MAX_REFUSAL_CODES)
      if (counted.length > 0) {
        const minute = at - (at % MINUTE_MS)
        await store.addRefusals(
          counted.map(([code, count]) => ({ gateway_id: gateway.id, minute, code, count })),
        )
      }
      const { keys_version } = await keys.digests()
      return { config_version: gateway.config_version, keys_version, server_time: isoTime(at) }
    },
  }
}

const notFound = () => new AppError('gateway_not_found', 'There is no such gateway.')

interface Beside {
  version: string
  keysVersion: string
  now: number
  refusals: Record<string, number>
}

function present(row: GatewayRow, { version, keysVersion, now, refusals }: Beside): Gateway {
  const heartbeat = row.heartbeat === null ? null : (JSON.parse(row.heartbeat) as Heartbeat)
  const { observer, record_level } = configOf(row)
  return {
    id: row.id,
    name: row.name,
    enabled: row.enabled === 1,
    local: row.local_id !== null,
    token_prefix: row.token_prefix,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    last_heartbeat_at: isoTimeOrNull(row.last_heartbeat_at),
    online: row.last_heartbeat_at !== null && now - row.last_heartbeat_at < ONLINE_MS,
    config_version: row.config_version,
    observer,
    record_level,
    config_current: heartbeat?.config_version === row.config_version,
    keys_current: heartbeat?.mode === 'personal' || heartbeat?.keys_version === keysVersion,
    version_differs: heartbeat !== null && heartbeat.version !== version,
    heartbeat,
    refusals,
  }
}
