import type { RetrievalPort, ToolPort } from '#graph/ports'
import { bytesOf, type OutboundFetch } from '#kernel/http/outbound'

/** Larger answers of tools are refused; a model is told far less of them anyway. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024

/** Tools over HTTP and MCP. What they throw is for the people who run the graph: the node's `err` value. */
export const toolPort = ({ outbound }: { outbound: OutboundFetch }): ToolPort => ({
  async fetch({ url, timeoutSeconds }, { signal, idempotencyKey }) {
    const answer = await outbound(url, {
      headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
      signal,
      timeoutMs: timeoutSeconds * 1000,
      maxBytes: MAX_ANSWER_BYTES,
    })
    const body = new TextDecoder().decode(await bytesOf(answer))
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body }
  },

  async http({ connection }) {
    throw connectionNotFound(connection)
  },

  async mcp({ server, connection }) {
    if (connection !== null) throw connectionNotFound(connection)
    throw new Error(`MCP server ${server} not found`)
  },

  describeMcp: async () => undefined,
})

export const retrievalPort: RetrievalPort = {
  async find({ source }) {
    throw new Error(`document source ${source} not found`)
  },
}

const connectionNotFound = (id: string) => new Error(`connection not found: ${id}`)
