import type { AgentDocument, GraphNode } from '../../../src/graph/ir'
import { isNodeType, kindOf, NODE_TYPES, type NodeTypeName } from '../../../src/graph/node-types'
import { type Position, place, unplace } from '../view'
import { freshId } from './ids'

/** Every edit is a function of the document alone; what it does not touch stays the very same object. */

/** A node as the palette gives it: the registry's ports, and what its author would have to fill in first. */
export function addNode(
  document: AgentDocument,
  type: NodeTypeName,
  config: Record<string, unknown>,
  position: Position,
): { document: AgentDocument; id: string } {
  const id = freshId(
    type,
    document.nodes.map((node) => node.id),
  )
  const { ports } = NODE_TYPES[type]
  const node: GraphNode = {
    id,
    type,
    kind: kindOf(type, config),
    label: null,
    config,
    ports: { in: ports.in.map((port) => ({ ...port })), out: ports.out.map((port) => ({ ...port })) },
  }
  return { document: place({ ...document, nodes: [...document.nodes, node] }, { [id]: position }), id }
}

export function removeNodes(document: AgentDocument, ids: ReadonlySet<string>): AgentDocument {
  if (!document.nodes.some(({ id }) => ids.has(id))) return document
  const without = {
    ...document,
    nodes: document.nodes.filter(({ id }) => !ids.has(id)),
    edges: document.edges.filter(({ source, target }) => !ids.has(source) && !ids.has(target)),
  }
  return unplace(without, ids)
}

/** The kind follows from type and config, so it is never a thing to get wrong. */
export const setConfig = (document: AgentDocument, id: string, config: Record<string, unknown>) =>
  changeNode(document, id, (node) => ({ ...node, config, kind: kindNow(node, config) }))

export const setLabel = (document: AgentDocument, id: string, label: string | null) =>
  changeNode(document, id, (node) => ({ ...node, label }))

/** A node in another state, such as its author wrote as JSON; edges and layout follow where its id is another. */
export function replaceNode(document: AgentDocument, id: string, next: GraphNode): AgentDocument {
  const renamed = next.id === id ? document : renameNode(document, id, next.id)
  if (renamed === document && next.id !== id) return document
  return changeNode(renamed, next.id, () => next)
}

/** Refuses, by changing nothing, an id that is empty or taken. */
export function renameNode(document: AgentDocument, id: string, next: string): AgentDocument {
  const taken = document.nodes.some((node) => node.id === next)
  if (next === '' || taken || !document.nodes.some((node) => node.id === id)) return document
  const end = (name: string) => (name === id ? next : name)
  const renamed = {
    ...document,
    nodes: document.nodes.map((node) => (node.id === id ? { ...node, id: next } : node)),
    edges: document.edges.map((edge) =>
      edge.source === id || edge.target === id
        ? { ...edge, source: end(edge.source), target: end(edge.target) }
        : edge,
    ),
  }
  return moveView(renamed, id, next)
}

export function changeNode(
  document: AgentDocument,
  id: string,
  change: (node: GraphNode) => GraphNode,
): AgentDocument {
  const index = document.nodes.findIndex((node) => node.id === id)
  if (index < 0) return document
  return { ...document, nodes: document.nodes.with(index, change(document.nodes[index]!)) }
}

const kindNow = ({ type, kind }: GraphNode, config: Record<string, unknown>): string =>
  isNodeType(type) ? kindOf(type, config) : kind

function moveView(document: AgentDocument, from: string, to: string): AgentDocument {
  const nodes = document.view?.nodes
  if (typeof nodes !== 'object' || nodes === null || !Object.hasOwn(nodes, from)) return document
  const entries = Object.entries(nodes).map(([key, value]) => [key === from ? to : key, value])
  return { ...document, view: { ...document.view, nodes: Object.fromEntries(entries) } }
}
