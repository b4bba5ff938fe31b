import type { Span } from './span'

/**
 * The persisted trace, overlaid with what the live stream said since. A persisted span that is closed wins over
 * everything; of an open one, a live close is newer.
 */
export function mergeSpans(persisted: readonly Span[], live: ReadonlyMap<string, Span>): Span[] {
  const merged = new Map(persisted.map((span) => [span.id, span]))
  for (const [id, heard] of live) {
    const stored = merged.get(id)
    if (!stored) merged.set(id, heard)
    else if (stored.status === 'running') merged.set(id, newer(stored, heard))
  }
  return [...merged.values()]
}

/** Adds live events. They may be heard twice after a reconnect: a close is never undone by an open. */
export function hear(live: ReadonlyMap<string, Span>, spans: Iterable<Span>): Map<string, Span> {
  const next = new Map(live)
  for (const span of spans) {
    const known = next.get(span.id)
    if (!known || known.status === 'running') next.set(span.id, span)
  }
  return next
}

/** The live span, with what only the database knows. */
const newer = (stored: Span, heard: Span): Span => ({
  ...(heard.status === 'running' ? stored : heard),
  attributes: { ...stored.attributes, ...heard.attributes },
  seq: stored.seq,
  bytes_in: heard.bytes_in ?? stored.bytes_in,
  bytes_out: heard.bytes_out ?? stored.bytes_out,
})
