import type { AgentDocument } from '../../src/graph/ir'
import { connect } from '../canvas/edit/edges'
import { type ListedModel, startNode } from '../canvas/edit/starters'
import { texts } from '../texts/editor'

const STEP = 330

/** A first agent that works as it is: the input, a model that answers it, the output. */
export function firstAgent(models: readonly ListedModel[]): AgentDocument {
  const empty: AgentDocument = {
    schemaVersion: '1.0',
    id: 'agent.new-agent',
    name: texts.newAgent,
    version: '1.0.0',
    contentHash: null,
    models: {},
    tools: {},
    nodes: [],
    edges: [],
    view: null,
    metadata: null,
  }
  const input = startNode(empty, 'input', { x: 0, y: 0 }, models)
  const llm = startNode(input.document, 'llm', { x: STEP, y: 0 }, models)
  const output = startNode(llm.document, 'output', { x: 2 * STEP, y: 0 }, models)
  const wire = (source: string, target: string) => ({
    source,
    sourceHandle: 'out',
    target,
    targetHandle: 'in',
  })
  return connect(connect(output.document, wire(input.id, llm.id)), wire(llm.id, output.id))
}
