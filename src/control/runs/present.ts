import { isoTime, isoTimeOrNull } from '#kernel/http/shapes'
import type { Run } from './schema'
import type { RunRow } from './store'

/** Row to wire, in the order of the specification. */
export const present = (row: RunRow): Run => ({
  id: row.id,
  session_id: row.session_id,
  status: row.status,
  model: row.model,
  graph_id: row.graph_id,
  graph_version: row.graph_version,
  content_hash: row.content_hash,
  trigger_id: row.trigger_id,
  user_id: row.user_id,
  output: row.output,
  awaiting_node: row.awaiting_node,
  created_at: isoTime(row.created_at),
  updated_at: isoTime(row.updated_at),
  completed_at: isoTimeOrNull(row.completed_at),
  error: row.error,
  note_code: row.note_code,
  parent_run_id: row.parent_run_id,
})
