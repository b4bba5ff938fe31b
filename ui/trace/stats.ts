import { texts as trace } from '../texts/trace'
import { bytes, exactDuration } from './format'
import type { Row } from './tree'

const texts = trace.stats

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
    [texts.duration, span.status === 'skipped' || endNs === null ? null : exactDuration(endNs - startNs)],
    [texts.startsAfter, exactDuration(startNs)],
    [texts.model, textOf(attributes['gen_ai.request.model'])],
    [texts.loadWait, milliseconds(attributes.load_ms)],
    [texts.firstToken, milliseconds(attributes.ttft_ms)],
    [texts.tokensIn, count(attributes['gen_ai.usage.input_tokens'])],
    [texts.tokensOut, count(attributes['gen_ai.usage.output_tokens'])],
    [texts.tokensTotal, count(attributes['gen_ai.usage.total_tokens'])],
    [texts.rate, output === null ? null : rate(row, output)],
    [texts.finishReason, textOf(attributes['gen_ai.response.finish_reason'])],
    [texts.tool, textOf(attributes['tool.name'])],
    [texts.toolAnswered, answered(attributes['tool.ok'])],
    [texts.bytesIn, span.bytes_in === null ? null : bytes(span.bytes_in)],
    [texts.bytesOut, span.bytes_out === null ? null : bytes(span.bytes_out)],
    [texts.nodeType, span.node_type],
    [texts.worker, span.worker_host],
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
  return streamed <= 0 ? null : texts.tokensPerSecond(((output * 1e9) / streamed).toFixed(1))
}

const answered = (ok: unknown) => (typeof ok !== 'boolean' ? null : ok ? texts.toolOk : texts.toolFailed)
const numberOf = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : null)
const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
const count = (value: unknown) => numberOf(value)?.toLocaleString('en') ?? null
const milliseconds = (value: unknown) => {
  const known = numberOf(value)
  return known === null ? null : exactDuration(known * 1e6)
}
