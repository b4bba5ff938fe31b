import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import { atLeast, type Principal } from '#kernel/http/plane'
import { isoTime, isoTimeOrNull } from '#kernel/http/shapes'
import { newId } from '#kernel/ids'
import { hashToken, mintToken } from '#kernel/tokens'
import type { ApiKey, CreateApiKey } from './schema'
import { type ApiKeyRow, authStore } from './store'

const SHOWN_CHARACTERS = 12

export type ApiKeyService = ReturnType<typeof apiKeyService>

export function apiKeyService({ db, now }: { db: Db; now: () => number }) {
  const store = authStore(db)

  return {
    async list({ userId }: Principal) {
      return { api_keys: (await store.keysOf(userId)).map(present) }
    },

    /** A key never carries more than the credential that makes it. @throws {AppError} `invalid_api_key` */
    async create({ userId, role: own }: Principal, { name, role = own }: CreateApiKey) {
      if (name.trim() === '') throw new AppError('invalid_api_key', 'Give the key a name.')
      if (!atLeast(own, role)) {
        throw new AppError('invalid_api_key', `You are ${own} here: a key of yours cannot be ${role}.`)
      }
      const token = mintToken('api_key')
      const createdAt = now()
      const row = await store.insertKey({
        id: newId('api_key', createdAt),
        user_id: userId,
        name: name.trim(),
        role,
        token_hash: hashToken(token),
        token_prefix: token.slice(0, SHOWN_CHARACTERS),
        created_at: createdAt,
        last_used_at: null,
        revoked_at: null,
      })
      return { token, api_key: present(row) }
    },

    /** Revoking twice is one revoking. @throws {AppError} `api_key_not_found`, also for others' keys */
    async revoke({ userId }: Principal, id: string) {
      if (!(await store.keyOf(userId, id))) {
        throw new AppError('api_key_not_found', 'You have no such API key.')
      }
      await store.revokeKey(id, now())
    },
  }
}

const present = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  user_id: row.user_id,
  name: row.name,
  role: row.role,
  token_prefix: row.token_prefix,
  created_at: isoTime(row.created_at),
  last_used_at: isoTimeOrNull(row.last_used_at),
  revoked_at: isoTimeOrNull(row.revoked_at),
})
