import { texts as settings } from '../texts/settings'

const texts = settings.groups

/** Settings that are shown, and saved, together. */
export interface Group {
  title: string
  description?: string
  /** Whether the setting of that key belongs here. */
  holds: (key: string) => boolean
}

export const TELEMETRY: readonly Group[] = [
  {
    ...texts.contents,
    holds: (key) => key.startsWith('telemetry.io_'),
  },
  {
    ...texts.telemetryExport,
    holds: (key) => key.startsWith('telemetry.otlp_'),
  },
]

export const MCP: readonly Group[] = [
  {
    ...texts.mcp,
    holds: (key) => key.startsWith('mcp.'),
  },
]

export const RAG: readonly Group[] = [
  {
    ...texts.rag,
    holds: (key) => key.startsWith('rag.'),
  },
]
