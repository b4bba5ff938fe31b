import { timingSafeEqual } from 'node:crypto'
import { hashToken } from '#kernel/tokens'

/** A developer's key as the control plane tells it: never the key, only its digest. */
export interface DeveloperKey {
  id: string
  /** SHA-256 in hex. */
  digest: string
  developer_id: string
  billing: 'own' | 'organization'
  enabled: boolean
}

export type DeveloperKeys = ReturnType<typeof developerKeys>

/** Characters of a digest that pick the candidates; what their timing tells is of a digest, not of a key. */
const BUCKET_CHARACTERS = 8

/** The digests of the developers' keys; unknown until they were loaded once. */
export function developerKeys() {
  let version: string | null = null
  let buckets = new Map<string, { key: DeveloperKey; digest: Buffer }[]>()

  return {
    get version() {
      return version
    },
    get loaded() {
      return version !== null
    },

    replace(next: { keys_version: string; keys: readonly DeveloperKey[] }) {
      const made: typeof buckets = new Map()
      for (const key of next.keys) {
        const name = key.digest.slice(0, BUCKET_CHARACTERS)
        made.set(name, [...(made.get(name) ?? []), { key, digest: Buffer.from(key.digest) }])
      }
      buckets = made
      version = next.keys_version
    },

    /** The enabled key behind a token; the comparison takes as long for a wrong one. */
    find(token: string): DeveloperKey | null {
      const digest = hashToken(token)
      const given = Buffer.from(digest)
      let found: DeveloperKey | null = null
      for (const { key, digest: known } of buckets.get(digest.slice(0, BUCKET_CHARACTERS)) ?? []) {
        if (known.length === given.length && timingSafeEqual(known, given)) found = key
      }
      return found?.enabled ? found : null
    },
  }
}
