import type { AgentDocument, Edge, GraphNode } from './ir'
import { topologicalOrder } from './order'
import { capabilityNodes } from './validate'

/** A node as a run meets it. Its index is its place in the topological order. */
export interface Step {
  index: number
  node: GraphNode
  /** Names of its in-ports. */
  ports: readonly string[]
  /** What feeds its in-ports. */
  feeds: readonly Feed[]
  /** Steps that wait for this one, by index; each as often as an edge leads there. */
  next: readonly number[]
  /** How many edges lead here. */
  waitsFor: number
}

interface Feed {
  port: string
  source: number
  handle: string
}

export interface Plan {
  steps: readonly Step[]
  /** Nodes that are offered to a model, by the id of its node, in the order of the edges. */
  offered: ReadonlyMap<string, readonly GraphNode[]>
}

/** What a run needs to know of a document, worked out once. */
export function planOf(document: AgentDocument): Plan {
  const capabilities = capabilityNodes(document)
  const nodes = new Map(document.nodes.map((node) => [node.id, node]))
  const order = topologicalOrder(document).filter((id) => !capabilities.has(id))
  const indexes = new Map(order.map((id, index) => [id, index]))
  const edges = document.edges.filter(({ channel }) => channel !== 'tool')
  const incoming = Map.groupBy(edges, ({ target }) => target)
  const outgoing = Map.groupBy(edges, ({ source }) => source)
  const steps = order.map((id, index): Step => {
    const node = nodes.get(id)!
    const into = incoming.get(id) ?? []
    return {
      index,
      node,
      ports: node.ports.in.map((port) => port.id),
      feeds: into.flatMap((edge) => feedOf(edge, indexes)),
      next: (outgoing.get(id) ?? []).map(({ target }) => indexes.get(target)!),
      waitsFor: into.length,
    }
  })
  return { steps, offered: offersOf(document.edges, nodes) }
}

const feedOf = (
  { channel, source, sourceHandle, targetHandle }: Edge,
  indexes: Map<string, number>,
): Feed[] =>
  channel === 'data' ? [{ port: targetHandle, source: indexes.get(source)!, handle: sourceHandle }] : []

function offersOf(edges: readonly Edge[], nodes: ReadonlyMap<string, GraphNode>) {
  const offered = new Map<string, GraphNode[]>()
  for (const { channel, source, target } of edges) {
    if (channel !== 'tool') continue
    const already = offered.get(target) ?? []
    const node = nodes.get(source)!
    if (!already.includes(node)) offered.set(target, [...already, node])
  }
  return offered
}
