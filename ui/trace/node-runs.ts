import type { NodeRun } from '../canvas/facts'
import { shortDuration } from './format'
import { isNodeSpan, type Span } from './span'

const NANOSECONDS_PER_MS = 1e6

/** What a run made of each node of its graph, by the node's id; those it never came to are not in it. */
export function nodeRunsOf(spans: readonly Span[]): Map<string, NodeRun> {
  return new Map(spans.filter(isNodeSpan).map((span) => [span.node_id!, nodeRunOf(span)]))
}

function nodeRunOf({ status, error, start_ns, end_ns }: Span): NodeRun {
  const tookNs = end_ns === null ? null : Number(end_ns - start_ns)
  return {
    status,
    error,
    output: tookNs === null || status === 'skipped' ? null : shortDuration(tookNs),
    tookMs: tookNs === null ? null : tookNs / NANOSECONDS_PER_MS,
  }
}
