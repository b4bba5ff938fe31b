import { createHmac, timingSafeEqual } from 'node:crypto'

const SIGNATURE = /^(?:sha256=)?([0-9a-f]{64})$/i

/**
 * Whether `header` is the HMAC-SHA256 of exactly these bytes under the secret, as `sha256=<hex>` or bare `<hex>`
 * (specification, part 4). The time it takes tells nothing of the right one.
 */
export function isSignedBy(secret: string, body: Uint8Array, header: string | null): boolean {
  const given = SIGNATURE.exec(header?.trim() ?? '')?.[1]
  if (given === undefined) return false
  return timingSafeEqual(Buffer.from(given, 'hex'), createHmac('sha256', secret).update(body).digest())
}
