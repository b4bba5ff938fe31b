import type { AgentDocument, ModelBinding, ToolBinding } from '../../../src/graph/ir'
import { freshId } from './ids'

/** The key under which a document knows a model, declared now where it did not know it. */
export function declareModel(
  document: AgentDocument,
  model: { logicalId: string; binding: ModelBinding['binding'] },
): { document: AgentDocument; key: string } {
  const known = Object.entries(document.models).find(([, binding]) => binding.model === model.logicalId)
  if (known) return { document, key: known[0] }
  const key = freshId(slug(model.logicalId), Object.keys(document.models))
  const binding: ModelBinding = { binding: model.binding, model: model.logicalId, source: null, params: {} }
  return { document: { ...document, models: { ...document.models, [key]: binding } }, key }
}

export function declareTool(
  document: AgentDocument,
  name: string,
  binding: ToolBinding,
): { document: AgentDocument; key: string } {
  const same = Object.entries(document.tools).find(
    ([, known]) => JSON.stringify(known) === JSON.stringify(binding),
  )
  if (same) return { document, key: same[0] }
  const key = freshId(slug(name), Object.keys(document.tools))
  return { document: { ...document, tools: { ...document.tools, [key]: binding } }, key }
}

/** A model that no node names any more, as after another one was chosen, is left out. */
export function dropModel(document: AgentDocument, key: string): AgentDocument {
  const isUsed = JSON.stringify(document.nodes).includes(JSON.stringify(key))
  if (isUsed || !Object.hasOwn(document.models, key)) return document
  const { [key]: _, ...models } = document.models
  return { ...document, models }
}

/** Function names that models take: letters, digits and underscores. */
const slug = (name: string) =>
  name
    .split('/')
    .at(-1)!
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 48)
    .toLowerCase() || 'model'
