/** Settings that are shown, and saved, together. */
export interface Group {
  title: string
  description?: string
  /** Whether the setting of that key belongs here. */
  holds: (key: string) => boolean
}

export const TELEMETRY: readonly Group[] = [
  {
    title: 'Inputs and outputs',
    description: 'What is kept of what goes into and comes out of the nodes of a run.',
    holds: (key) => key.startsWith('telemetry.io_'),
  },
  {
    title: 'Export',
    description:
      'Sends timing, status, model and token counts of spans to a collector. Contents never leave.',
    holds: (key) => key.startsWith('telemetry.otlp_'),
  },
]

export const MCP: readonly Group[] = [
  {
    title: 'MCP servers',
    description: 'Limits and addresses for tool servers.',
    holds: (key) => key.startsWith('mcp.'),
  },
]

export const RAG: readonly Group[] = [
  {
    title: 'Documents',
    description: 'How documents are cut, fetched and found.',
    holds: (key) => key.startsWith('rag.'),
  },
]
