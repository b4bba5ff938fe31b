import { bytes, exactDuration } from './format'
import type { Row } from './tree'

export interface Stat {
  label: string
  value: string
}

/** Nanoseconds from the start of a model's span to its first token; null where there was none, or none is known. */
export function firstTokenNs({ span, startNs, endNs }: Row): number | null {
  const ttft = numberOf(span.attributes.ttft_ms)
  if (ttft === null) return null
  const after = ttft * 1e6
  return endNs === null || after <= endNs - startNs ? after : null
}

/** Everything worth a line in the span's panel; what is unknown has none. */
export function statsOf(row: Row): Stat[] {
  const { span, startNs, endNs } = row
  const { attributes } = span
  const output = numberOf(attributes['gen_ai.usage.output_tokens'])
  const lines: [string, string | null][] = [
    ['Duration', span.status === 'skipped' || endNs === null ? null : exactDuration(endNs - startNs)],
    ['Starts after', exactDuration(startNs)],
    ['Model', textOf(attributes['gen_ai.request.model'])],
    ['Waited for the model to load', milliseconds(attributes.load_ms)],
    ['First token after', milliseconds(attributes.ttft_ms)],
    ['Tokens in', count(attributes['gen_ai.usage.input_tokens'])],
    ['Tokens out', count(attributes['gen_ai.usage.output_tokens'])],
    ['Tokens total', count(attributes['gen_ai.usage.total_tokens'])],
    ['Rate', output === null ? null : rate(row, output)],
    ['Finish reason', textOf(attributes['gen_ai.response.finish_reason'])],
    ['Tool', textOf(attributes['tool.name'])],
    [
      'Tool answered',
      typeof attributes['tool.ok'] === 'boolean' ? (attributes['tool.ok'] ? 'well' : 'with an error') : null,
    ],
    ['Bytes in', span.bytes_in === null ? null : bytes(span.bytes_in)],
    ['Bytes out', span.bytes_out === null ? null : bytes(span.bytes_out)],
    ['Node type', span.node_type],
    ['Worker', span.worker_host],
  ]
  return lines.flatMap(([label, value]) => (value === null ? [] : [{ label, value }]))
}

/** Attributes that have no line of their own in `statsOf`. */
export function otherAttributes(row: Row): [string, unknown][] {
  return Object.entries(row.span.attributes).filter(([key]) => !NAMED.has(key) && !BYTES.test(key))
}

/** The span says them itself. */
const BYTES = /\.bytes_(in|out)$/
const NAMED = new Set([
  'gen_ai.request.model',
  'gen_ai.response.finish_reason',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.total_tokens',
  'ttft_ms',
  'load_ms',
  'tool.name',
  'tool.ok',
])

/** Tokens a second while they streamed: the wait for the first one is not counted. */
function rate(row: Row, output: number): string | null {
  if (row.endNs === null) return null
  const streamed = row.endNs - row.startNs - (firstTokenNs(row) ?? 0)
  return streamed <= 0 ? null : `${((output * 1e9) / streamed).toFixed(1)} tokens/s`
}

const numberOf = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : null)
const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
const count = (value: unknown) => numberOf(value)?.toLocaleString('en') ?? null
const milliseconds = (value: unknown) => {
  const known = numberOf(value)
  return known === null ? null : exactDuration(known * 1e6)
}
