import { createContext, useContext } from 'react'
import type { AgentDocument, GraphNode } from '../../../src/graph/ir'
import type { ListedModel } from '../../canvas/edit/starters'
import type { Reading } from '../../canvas/references'

/** What the fields of a node's form read from beside their own value. */
export interface NodeContext {
  document: AgentDocument
  node: GraphNode
  reading: Reading
  models: readonly ListedModel[]
  readOnly: boolean
  /** Changes the document beside the node, as a model that is declared with its choice. */
  edit: (next: AgentDocument, to?: string | null) => void
  /** Why the value at a pointer within the config is wrong. */
  problemAt: (path: string) => string | null
}

export const NodeFormContext = createContext<NodeContext | null>(null)

export const useNode = (): NodeContext => {
  const context = useContext(NodeFormContext)
  if (!context) throw new Error('useNode() outside NodeFormContext')
  return context
}
