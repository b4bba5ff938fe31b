import type { Row } from '../trace/tree'

/** Whether a new run can begin at this step: one of the graph itself, done, in a durable run (interface, 11a). */
export const isForkable = ({ span, depth }: Pick<Row, 'span' | 'depth'>): boolean =>
  span.node_id !== null &&
  span.phase === null &&
  span.branch_index === null &&
  depth === 1 &&
  span.status === 'ok' &&
  span.executor_id !== null &&
  span.executor_id !== 'inproc'
