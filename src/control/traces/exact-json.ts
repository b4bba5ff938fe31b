import type { StoredSpan } from './store'

// TypeScript's library does not know it yet.
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown }

/** JSON in which a bigint is the integer it is: nanoseconds since 1970 do not fit a JavaScript number. */
export const exactText = (value: unknown): string =>
  JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? rawJSON(String(field)) : field))

/**
 * The answer that shows a trace. Nanoseconds and attributes come from the store as JSON and go through as they are:
 * of ten thousand spans, reading and printing them again takes four times as long.
 */
export function traceJson({
  spans,
  ...run
}: {
  runId: string
  status: string
  spans: StoredSpan[]
}): Response {
  const text = `${openEnded(run)},"spans":[${spans.map(spanText).join(',')}]}`
  return new Response(text, { headers: { 'content-type': 'application/json' } })
}

const spanText = ({ start_ns, end_ns, attributes, ...rest }: StoredSpan): string =>
  `${openEnded(rest)},"start_ns":${start_ns},"end_ns":${end_ns},"attributes":${attributes}}`

/** An object that is not empty, for further fields to follow. */
const openEnded = (fields: object): string => JSON.stringify(fields).slice(0, -1)
