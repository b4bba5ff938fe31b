import type { AgentDocument } from '../../../src/graph/ir'
import { NODE_TYPES, type NodeTypeName } from '../../../src/graph/node-types'
import { texts } from '../../texts/canvas'
import type { Position } from '../view'
import { declareModel } from './bindings'
import { addNode } from './nodes'

/** A model as the inference plane lists it, as far as the editor needs it. */
export interface ListedModel {
  logicalId: string
  modality: string
  binding: 'mlx' | 'llamacpp' | 'standard-compatible'
}

/** Which models fit a node type; none where it uses no model. */
export const MODALITIES: Partial<Record<NodeTypeName, readonly string[]>> = {
  llm: ['chat', 'vision'],
  transcribe: ['audio.transcription'],
  speak: ['audio.speech'],
  imagine: ['images.generation'],
}

/** Types that the palette offers: those that something can run. */
export const OFFERED = (Object.keys(NODE_TYPES) as NodeTypeName[]).filter(
  (type) => NODE_TYPES[type].executable,
)

/**
 * A new node, as complete as it can be without asking: a model that fits where one is registered, its whole input where
 * it needs one. What only its author can know is empty, and told as a problem.
 */
export function startNode(
  document: AgentDocument,
  type: NodeTypeName,
  position: Position,
  models: readonly ListedModel[],
): { document: AgentDocument; id: string } {
  const modalities = MODALITIES[type]
  if (!modalities) return addNode(document, type, structuredClone(STARTS[type] ?? {}), position)
  const { document: grown, key } = modelFor(document, modalities, models)
  return addNode(grown, type, { model: key, ...structuredClone(STARTS[type]) }, position)
}

/** A model the document has already, so that a graph stays with one; else the first that is registered. */
function modelFor(document: AgentDocument, modalities: readonly string[], models: readonly ListedModel[]) {
  const fitting = models.filter(({ modality }) => modalities.includes(modality))
  const declared = Object.entries(document.models).find(([, { model }]) =>
    fitting.some(({ logicalId }) => logicalId === model),
  )
  if (declared) return { document, key: declared[0] }
  return fitting[0] ? declareModel(document, fitting[0]) : { document, key: '' }
}

const STARTS: Partial<Record<NodeTypeName, Record<string, unknown>>> = {
  llm: { messages: [{ role: 'user', content: '$in' }] },
  tool: { tool: 'http_fetch', args: { url: '$in' } },
  mcp_tool: { tool: '', server: '' },
  rag: { source: '', query: '$in' },
  router: { select: '$in' },
  guardrail: { check: { type: 'rule', rule: { kind: 'pii', spec: {} } } },
  transform: { expr: '$in.in' },
  ratelimit: { keyExpr: 'all', limit: 30, windowSeconds: 60 },
  quota: { keyExpr: 'all', budgetTokens: 100_000, windowSeconds: 86_400 },
  human: { prompt: texts.starters.humanPrompt },
  subgraph: { agent: '', version: '' },
  loop: { agent: '', version: '', maxIterations: 3 },
  map: { agent: '', version: '' },
}
