import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Prefix of each kind of bearer; the specification names the first three (part 2). */
export const TOKEN_PREFIX = {
  session: 'tys_',
  api_key: 'tyk_',
  service_key: 'tygs_',
  gateway_key: 'tygk_',
} as const

/** A new bearer: its prefix and 32 random bytes. Shown once; only `hashToken` of it is stored. */
export const mintToken = (kind: keyof typeof TOKEN_PREFIX): string =>
  TOKEN_PREFIX[kind] + randomBytes(32).toString('base64url')

/** SHA-256 in hex: enough for a token of 256 random bits, unlike for a password. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Tells nothing of the expected token by the time it takes. */
export const isSameToken = (given: string, expected: string): boolean =>
  timingSafeEqual(Buffer.from(hashToken(given)), Buffer.from(hashToken(expected)))
