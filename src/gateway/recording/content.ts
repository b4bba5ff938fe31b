import type { Content } from './record'
import type { RecordRedactor } from './redact'

/** Longest text that is tried to be kept, then shorter ones until all fits. */
const TEXT_LIMITS = [64_000, 16_000, 4_000, 1_000, 200]

/** What was said, redacted and within `maxBytes` as JSON. */
export function contentOf(
  said: { request_tail: unknown; response: unknown },
  redact: RecordRedactor,
  maxBytes: number,
): Content {
  const safe = redact.value(said) as typeof said
  const redactions = redact.hits
  if (bytesOf(safe) <= maxBytes) return { ...safe, truncated: false, redactions }
  for (const limit of TEXT_LIMITS) {
    const cut = cutTexts(safe, limit) as typeof said
    if (bytesOf(cut) <= maxBytes) return { ...cut, truncated: true, redactions }
  }
  return { request_tail: null, response: null, truncated: true, redactions }
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')

function cutTexts(value: unknown, limit: number): unknown {
  if (typeof value === 'string')
    return value.length > limit ? `${value.slice(0, limit)}… (${value.length} characters)` : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => cutTexts(item, limit))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutTexts(item, limit)]))
}
