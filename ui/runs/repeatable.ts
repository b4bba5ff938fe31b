import type { Row } from '../trace/tree'

/**
 * How a new run can begin at a step of the graph itself: a durable run is forked where a step is done, any other is done
 * again from any node it came to (interface, 11a). Null where neither can be.
 */
export function againFrom({ span, depth }: Pick<Row, 'span' | 'depth'>): 'fork' | 'rerun' | null {
  const isStep = span.node_id !== null && span.phase === null && span.branch_index === null && depth === 1
  if (!isStep || span.executor_id === null) return null
  if (span.executor_id !== 'inproc') return span.status === 'ok' ? 'fork' : null
  return span.status === 'ok' || span.status === 'err' ? 'rerun' : null
}
