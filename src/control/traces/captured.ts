import type { CaptureLevel } from '#kernel/db/tables'
import { asText } from '#kernel/json'
import type { RedactRules } from './redact'

/** What is kept of a value that is over the cap. */
const PREVIEW_CHARS = 1_024
/** Recorded for inspection beside the out-ports; not part of the node's own output. */
const BESIDE_PORTS = ['reasoning', 'tool_calls']

export interface CapturePolicy {
  level: CaptureLevel
  /** Largest value that is kept whole, in bytes of its text. */
  maxBytes: number
  /** What is hidden before anything is stored: the agent's own rules. */
  redact?: RedactRules | null
}

export type Values = Record<string, unknown>

/** Bytes of the values of a node's ports, as text. */
export const bytesOf = (values: Values): number =>
  Object.entries(values).reduce(
    (sum, [port, value]) => (BESIDE_PORTS.includes(port) ? sum : sum + Buffer.byteLength(asText(value))),
    0,
  )

/** The values as they are stored: whole, or where one is over the cap a preview and its true size. */
export function capped(values: Values, maxBytes: number): { json: string; truncated: boolean } {
  let truncated = false
  const kept = Object.entries(values).map(([port, value]) => {
    const text = asText(value)
    const bytes = Buffer.byteLength(text)
    if (bytes <= maxBytes) return [port, value]
    truncated = true
    return [port, { _truncated: true, _bytes: bytes, _preview: text.slice(0, PREVIEW_CHARS) }]
  })
  return { json: JSON.stringify(Object.fromEntries(kept)), truncated }
}
