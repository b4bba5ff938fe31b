import { createHash } from 'node:crypto'
import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import type { Principal } from '#kernel/http/plane'
import { isoTime, isoTimeOrNull } from '#kernel/http/shapes'
import { newId } from '#kernel/ids'
import { hashToken, mintToken } from '#kernel/tokens'
import type { CreateGatewayKey, DeveloperKeys, GatewayKey, UpdateGatewayKey } from './schema'
import { type GatewayKeyRow, gatewayKeyStore, gatewayStore } from './store'

const SHOWN_CHARACTERS = 13
const VERSION_CHARACTERS = 16

export type GatewayKeyService = ReturnType<typeof gatewayKeyService>

/** The keys by which gateways in team mode know developers. */
export function gatewayKeyService({ db, now }: { db: Db; now: () => number }) {
  const store = gatewayKeyStore(db)

  return {
    /** An admin sees all, everybody else their own. */
    async list({ userId, role }: Principal) {
      return { keys: (await store.of(role === 'admin' ? null : userId)).map(present) }
    },

    /** @throws {AppError} `user_not_found` */
    async create({ user_id, name, billing }: CreateGatewayKey) {
      if (!(await gatewayStore(db).userById(user_id)))
        throw new AppError('user_not_found', 'There is no such account.')
      const token = mintToken('gateway_key')
      const at = now()
      const row = await store.insert({
        id: newId('gateway_key', at),
        user_id,
        name: name?.trim() || 'gateway key',
        billing,
        enabled: 1,
        token_hash: hashToken(token),
        token_prefix: token.slice(0, SHOWN_CHARACTERS),
        created_at: at,
        updated_at: at,
        last_used_at: null,
      })
      return { key: present(row), token }
    },

    /** @throws {AppError} `gateway_key_not_found` */
    async update(id: string, { name, billing, enabled }: UpdateGatewayKey): Promise<GatewayKey> {
      const row = await store.update(id, {
        ...(name === undefined ? {} : { name: name.trim() }),
        ...(billing === undefined ? {} : { billing }),
        ...(enabled === undefined ? {} : { enabled: enabled ? 1 : 0 }),
        updated_at: now(),
      })
      if (!row) throw notFound()
      return present(row)
    },

    /** @throws {AppError} `gateway_key_not_found` */
    async remove(id: string) {
      const { numDeletedRows } = await store.remove(id)
      if (numDeletedRows === 0n) throw notFound()
    },

    /** What gateways hold: the digests that open, under a version that changes whenever any of it does. */
    async digests(): Promise<DeveloperKeys> {
      const keys = (await store.digests()).map(({ id, token_hash, user_id, billing }) => ({
        id,
        digest: token_hash,
        developer_id: user_id,
        billing,
        enabled: true,
      }))
      const version = createHash('sha256').update(JSON.stringify(keys)).digest('hex')
      return { keys_version: version.slice(0, VERSION_CHARACTERS), keys }
    },
  }
}

const notFound = () => new AppError('gateway_key_not_found', 'There is no such gateway key.')

const present = (row: GatewayKeyRow): GatewayKey => ({
  id: row.id,
  user_id: row.user_id,
  name: row.name,
  billing: row.billing,
  enabled: row.enabled === 1,
  token_prefix: row.token_prefix,
  created_at: isoTime(row.created_at),
  updated_at: isoTime(row.updated_at),
  last_used_at: isoTimeOrNull(row.last_used_at),
})
