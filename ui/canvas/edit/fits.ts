import type { AgentDocument, Port } from '../../../src/graph/ir'
import { NODE_TYPES, type NodeTypeName } from '../../../src/graph/node-types'
import { isToolish } from '../../../src/graph/tools'
import { connect, type Wire } from './edges'
import { OFFERED } from './starters'

/** The end of a wire that somebody holds. */
export interface Loose {
  node: string
  port: string
  /** Whether it leaves an output, or leads into an input. */
  from: 'out' | 'in'
}

const portOf = ({ nodes }: AgentDocument, { node, port, from }: Loose): Port | undefined =>
  nodes.find(({ id }) => id === node)?.ports[from].find(({ id }) => id === port)

/** The types of which a new node could take up the wire. */
export function fitting(document: AgentDocument, loose: Loose): NodeTypeName[] {
  const port = portOf(document, loose)
  if (!port) return []
  return OFFERED.filter((type) => matchingPort(type, loose, port) !== undefined)
}

/** Wires a node that was just added to the loose end, by the first port that fits. */
export function takeUp(document: AgentDocument, loose: Loose, id: string): AgentDocument {
  const node = document.nodes.find((one) => one.id === id)
  const port = portOf(document, loose)
  if (!node || !port) return document
  const wires: Wire[] =
    loose.from === 'out'
      ? node.ports.in.map((into) => wire(loose.node, loose.port, id, into.id))
      : node.ports.out
          .filter((out) => out.type !== 'error')
          .map((out) => wire(id, out.id, loose.node, loose.port))
  for (const one of wires) {
    const connected = connect(document, one)
    if (connected !== document) return connected
  }
  return document
}

const wire = (source: string, sourceHandle: string, target: string, targetHandle: string): Wire => ({
  source,
  sourceHandle,
  target,
  targetHandle,
})

function matchingPort(type: NodeTypeName, { from }: Loose, port: Port): Port | undefined {
  const { ports } = NODE_TYPES[type]
  if (from === 'out') {
    if (port.role === 'tool') return ports.in.find(({ role }) => role === 'tool')
    return ports.in.find(({ role }) => role === 'data')
  }
  if (port.role === 'tool') {
    return isToolish(type) ? ports.out.find(({ role }) => role === 'tool') : undefined
  }
  return ports.out.find(({ role, type: carries }) => role === 'data' && carries !== 'error')
}

/** Types that can stand between two others. */
export const BETWEEN = OFFERED.filter((type) => {
  const { ports } = NODE_TYPES[type]
  return (
    ports.in.some(({ role }) => role === 'data') &&
    ports.out.some(({ role, type: carries }) => role === 'data' && carries !== 'error')
  )
})
