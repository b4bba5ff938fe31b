import { createContext, useContext } from 'react'
import type { AgentDocument } from '../../src/graph/ir'
import type { Problem } from '../../src/graph/problem'

/** What a run has made of a node so far. */
export interface NodeRun {
  status: 'running' | 'ok' | 'err' | 'skipped'
  error: string | null
  /** What it put out, in a few characters; null where that is not known. */
  output: string | null
  /** From open to close, in milliseconds; null while it goes on. */
  tookMs: number | null
}

/** What nodes and wires show beside their own data. It changes with the document and with runs, never with the view. */
export interface CanvasFacts {
  document: AgentDocument
  problems: ReadonlyMap<string, readonly Problem[]>
  runs: ReadonlyMap<string, NodeRun>
  pinned: string | null
  readOnly: boolean
  onInsert: (place: number, at: { x: number; y: number }) => void
}

export const FactsContext = createContext<CanvasFacts | null>(null)

export const useFacts = (): CanvasFacts => {
  const facts = useContext(FactsContext)
  if (!facts) throw new Error('useFacts() outside FactsContext')
  return facts
}
