/**
 * Where every effect of a run goes through. Its key is its place in the execution: the node's id, `#<i>` for the i-th
 * branch, `/gen@<k>` and `/tool@<k>` for a model node's generations and tool calls. Keys come from the graph and from
 * indexes, never from the order in which things happened.
 */
export interface Journal {
  /**
   * Does the work unless it is on record under this key, and puts its result on record. The result is JSON; a
   * failure is not recorded.
   */
  step<T>(key: string, work: () => Promise<T>): Promise<T>
}

/** The journal of a run that does not outlive its process: each key is met once, so nothing need be kept. */
export const passingJournal = (): Journal => ({ step: (_key, work) => work() })
