/** What is wrong with a document, each with the place and a way out. */
export interface Problem {
  code: ProblemCode
  message: string
  hint: string
  node_id?: string
  edge_id?: string
  /** JSON pointer into the document as it was sent, such as `/nodes/2/config/model`. */
  path: string
}

export type ProblemCode =
  | 'invalid_shape'
  | 'duplicate_node_id'
  | 'unknown_type'
  | 'kind_mismatch'
  | 'invalid_config'
  | 'unknown_model'
  | 'check_missing'
  | 'invalid_pin'
  | 'out_of_range'
  | 'duplicate_tool'
  | 'unknown_tool'
  | 'tool_choice_not_listed'
  | 'tool_not_self_describing'
  | 'slot_mismatch'
  | 'unknown_node'
  | 'unknown_handle'
  | 'port_taken'
  | 'invalid_tool_edge'
  | 'tool_port_misused'
  | 'capability_and_step'
  | 'port_not_fed'
  | 'cycle'

/** A list of problems must stay readable, and an answer bounded. */
export const MAX_PROBLEMS = 1_000

const QUOTED_CHARACTERS = 80

/** An author's text within a message: in quotes, and short. */
export const quote = (text: string): string =>
  JSON.stringify(text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS)}…` : text)

const LISTED = 20

/** Names within a message: the first few. */
export function list(names: Iterable<string>): string {
  const all = [...names]
  if (all.length === 0) return 'none'
  const more = all.length > LISTED ? `, and ${all.length - LISTED} more` : ''
  return all.slice(0, LISTED).map(quote).join(', ') + more
}

/** A further step of a JSON pointer. A key may be of any length, a pointer in an answer may not. */
export const at = (path: string, key: string | number): string =>
  `${path}/${String(key).slice(0, 200).replaceAll('~', '~0').replaceAll('/', '~1')}`
