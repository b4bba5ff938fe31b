import type { AgentDocument, Port } from '../../../src/graph/ir'
import { freshId } from './ids'
import { changeNode } from './nodes'

export type Side = 'in' | 'out'

/** A further port; on the way in an optional one, as joining branches needs it. */
export function addPort(document: AgentDocument, id: string, side: Side, port: Partial<Port> = {}) {
  return changeNode(document, id, (node) => {
    const name = freshId(
      port.id ?? (side === 'in' ? 'in' : 'branch'),
      node.ports[side].map((one) => one.id),
    )
    const made: Port = { type: 'any', required: side === 'out', role: 'data', ...port, id: name }
    return { ...node, ports: { ...node.ports, [side]: [...node.ports[side], made] } }
  })
}

/** Its edges go with it. */
export function removePort(document: AgentDocument, id: string, side: Side, port: string): AgentDocument {
  const changed = changeNode(document, id, (node) => ({
    ...node,
    ports: { ...node.ports, [side]: node.ports[side].filter((one) => one.id !== port) },
  }))
  return { ...changed, edges: changed.edges.filter((edge) => !leadsThrough(edge, id, side, port)) }
}

/** Its edges follow. An id that is empty or taken changes nothing. */
export function renamePort(document: AgentDocument, id: string, side: Side, port: string, next: string) {
  const node = document.nodes.find((one) => one.id === id)
  if (!node || next === '' || node.ports[side].some((one) => one.id === next)) return document
  const changed = setPort(document, id, side, port, { id: next })
  const handle = side === 'in' ? 'targetHandle' : 'sourceHandle'
  return {
    ...changed,
    edges: changed.edges.map((edge) =>
      leadsThrough(edge, id, side, port) ? { ...edge, [handle]: next } : edge,
    ),
  }
}

const setPort = (
  document: AgentDocument,
  id: string,
  side: Side,
  port: string,
  change: Partial<Port>,
): AgentDocument =>
  changeNode(document, id, (node) => ({
    ...node,
    ports: {
      ...node.ports,
      [side]: node.ports[side].map((one) => (one.id === port ? { ...one, ...change } : one)),
    },
  }))

const leadsThrough = (edge: AgentDocument['edges'][number], id: string, side: Side, port: string): boolean =>
  side === 'in'
    ? edge.target === id && edge.targetHandle === port
    : edge.source === id && edge.sourceHandle === port
