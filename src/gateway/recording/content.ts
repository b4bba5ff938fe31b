import type { Tail } from './reading'
import type { Content } from './record'
import type { RecordRedactor } from './redact'

/** Longest text that is tried to be kept, then shorter ones until all fits. */
const TEXT_LIMITS = [64_000, 16_000, 4_000, 1_000, 200]

/** The end of a conversation, on its way from the worker that read it. */
export interface SentTail {
  /** Where in the conversation the first of them stands. */
  from: number
  messages: unknown[]
  cut: boolean
  redactions: number
}

/** What was said, redacted and within `maxBytes` as JSON. */
export function contentOf(tail: Tail, response: unknown, redact: RecordRedactor, maxBytes: number): Content {
  const safe = redact.value({ request_tail: tail.messages, response }) as {
    request_tail: unknown
    response: unknown
  }
  const redactions = redact.hits + tail.redactions
  if (bytesOf(safe) <= maxBytes) return { ...safe, truncated: tail.cut, redactions }
  for (const limit of TEXT_LIMITS) {
    const cut = cutTexts(safe, limit) as typeof safe
    if (bytesOf(cut) <= maxBytes) return { ...cut, truncated: true, redactions }
  }
  return { request_tail: null, response: null, truncated: true, redactions }
}

/** The last messages that fit into `maxBytes`, redacted before anything of them is cut. */
export function contentTail(conversation: unknown[], redact: RecordRedactor, maxBytes: number): SentTail {
  const messages: unknown[] = []
  let cut = false
  let left = maxBytes
  let from = conversation.length
  while (from > 0 && left > 0) {
    const safe = redact.value(conversation[from - 1])
    const short = bytesOf(safe) > left ? cutTexts(safe, TEXT_LIMITS[0]!) : safe
    left -= bytesOf(short)
    if (left < 0 && messages.length > 0) break
    cut ||= short !== safe
    messages.unshift(short)
    from--
  }
  return { from, messages, cut, redactions: redact.hits }
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')

function cutTexts(value: unknown, limit: number): unknown {
  if (typeof value === 'string')
    return value.length > limit ? `${value.slice(0, limit)}… (${value.length} characters)` : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => cutTexts(item, limit))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutTexts(item, limit)]))
}
