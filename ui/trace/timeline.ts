import type { Span } from './span'

/** A stretch of a trace in which nothing worked: it waited for a person, for its turn, or for a timer. */
export interface Gap {
  fromNs: number
  toNs: number
}

/** Shorter ones are not worth a fold. */
const LEAST_GAP_NS = 1e9
const LEAST_SHARE = 0.1
/** What a folded gap keeps, as a share of what is left when all that is folded is gone. */
const FOLDED_SHARE = 0.04

/** Where the instants of a trace are drawn: nanoseconds since its start, with folded gaps drawn short. */
export interface Timeline {
  /** Of the whole axis, in drawn nanoseconds. */
  lengthNs: number
  /** An instant of the trace to its place on the axis; never decreasing. */
  place: (ns: number) => number
}

/** The gaps of a trace that lasts `lengthNs`, in order. */
export function gapsOf(spans: readonly Span[], originNs: bigint, lengthNs: number): Gap[] {
  const parents = new Set(spans.map(({ parent_span_id }) => parent_span_id))
  const work = spans
    .filter((span) => !parents.has(span.span_id) && !waits(span))
    .map(
      ({ start_ns, end_ns }): Gap => ({
        fromNs: Number(start_ns - originNs),
        toNs: end_ns === null ? lengthNs : Number(end_ns - originNs),
      }),
    )
    .sort((a, b) => a.fromNs - b.fromNs)
  const least = Math.max(LEAST_GAP_NS, lengthNs * LEAST_SHARE)
  const gaps: Gap[] = []
  let busyUntil = 0
  for (const { fromNs, toNs } of [...work, { fromNs: lengthNs, toNs: lengthNs }]) {
    if (fromNs - busyUntil >= least) gaps.push({ fromNs: busyUntil, toNs: fromNs })
    busyUntil = Math.max(busyUntil, toNs)
  }
  return gaps
}

const waits = ({ status, phase, node_type }: Span) =>
  status === 'skipped' || phase === 'queue_wait' || node_type === 'human'

/** The axis of a trace of `lengthNs` with these gaps folded; they are in order and do not overlap. */
export function timelineOf(lengthNs: number, folded: readonly Gap[]): Timeline {
  const hidden = folded.reduce((sum, { fromNs, toNs }) => sum + toNs - fromNs, 0)
  const keptNs = (lengthNs - hidden) * FOLDED_SHARE
  const place = (ns: number) => {
    let placed = ns
    for (const { fromNs, toNs } of folded) {
      if (ns <= fromNs) break
      const inside = Math.min(ns, toNs) - fromNs
      placed += (inside * keptNs) / (toNs - fromNs) - inside
    }
    return placed
  }
  return { lengthNs: lengthNs - hidden + folded.length * keptNs, place }
}
