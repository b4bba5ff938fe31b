import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

const VERSION = 1
const KEY_ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES

/** Seals and opens stored secrets: AES-256-GCM, with the id of its key in the ciphertext. */
export interface SecretBox {
  /** The first key encrypts. */
  seal(plain: string): Uint8Array
  /** Every key decrypts; `null` when none of ours sealed it, or the bytes were changed. */
  open(sealed: Uint8Array): string | null
  /** True when the keys die with the process, so that what is sealed now cannot be read after a restart. */
  readonly ephemeral: boolean
}

/** `keys`: passphrases, the first encrypts; none makes an ephemeral box. */
export function secretBox(keys: string[]): SecretBox {
  const ephemeral = keys.length === 0
  const ring = (ephemeral ? [randomBytes(32).toString('hex')] : keys).map((passphrase) => {
    const key = createHash('sha256').update(`tycho-secret-box:${passphrase}`).digest()
    return { key, id: createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES) }
  })
  const first = ring[0]!

  return {
    ephemeral,

    seal(plain) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', first.key, nonce)
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(VERSION), first.id, nonce, cipher.getAuthTag(), body])
    },

    open(sealed) {
      const bytes = Buffer.from(sealed)
      if (bytes.length < HEADER_BYTES + TAG_BYTES || bytes[0] !== VERSION) return null
      const owner = ring.find(({ id }) => id.equals(bytes.subarray(1, 1 + KEY_ID_BYTES)))
      if (!owner) return null
      const decipher = createDecipheriv(
        'aes-256-gcm',
        owner.key,
        bytes.subarray(1 + KEY_ID_BYTES, HEADER_BYTES),
      )
      decipher.setAuthTag(bytes.subarray(HEADER_BYTES, HEADER_BYTES + TAG_BYTES))
      try {
        return (
          decipher.update(bytes.subarray(HEADER_BYTES + TAG_BYTES), undefined, 'utf8') +
          decipher.final('utf8')
        )
      } catch {
        // The tag does not match: the bytes were changed, which is the same to the caller as a foreign key.
        return null
      }
    },
  }
}
