/** How an engine differs from the protocol that clients speak. */
export interface ChatDialect {
  /** The request as the engine understands it. */
  request(body: Record<string, unknown>): Record<string, unknown>
  /** For one answer to this request. */
  reader(body: Record<string, unknown>): AnswerReader
}

/** One answer of an engine, made into what clients expect: whole, or chunk by chunk. */
export interface AnswerReader {
  whole(completion: Record<string, unknown>): Record<string, unknown>
  /** What a chunk becomes: none while its text is not yet understood, or several. */
  chunk(chunk: Record<string, unknown>): Record<string, unknown>[]
  /** What still waited where a stream ended without saying so. */
  end(): Record<string, unknown>[]
}
