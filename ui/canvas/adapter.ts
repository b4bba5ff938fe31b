import type { Edge as FlowEdge, Node as FlowNode } from '@xyflow/react'
import type { AgentDocument, Edge, GraphNode } from '../../src/graph/ir'
import { heightOf, portPlaces, WIDTH } from './geometry'
import { placesOf } from './placing'
import { titleOf } from './sentence'
import { type Position, place } from './view'

export type CanvasNode = FlowNode<{ node: GraphNode; at: Position }, 'step'>
export type CanvasEdge = FlowEdge<{ edge: Edge; place: number }, 'wire'>

/** A document as the canvas shows it. `rest` is what has no shape there: nodes and edges live in their items alone. */
export interface Canvas {
  nodes: CanvasNode[]
  edges: CanvasEdge[]
  rest: Omit<AgentDocument, 'nodes' | 'edges'>
}

/** The view of a document. What did not change since `before` stays the same object, so that nothing is drawn anew. */
export function toCanvas(document: AgentDocument, before?: Canvas): Canvas {
  const { nodes, edges, ...rest } = document
  const known = new Map(before?.nodes.map((node) => [node.id, node]))
  const places = placesOf(document)
  const names = uniqueNames(nodes.map(({ id }) => id))
  return {
    rest,
    nodes: nodes.map((node, index) => {
      const id = names[index]!
      const at = places[index]!
      const old = known.get(id)
      const same = old && old.data.node === node && old.data.at.x === at.x && old.data.at.y === at.y
      return same ? old : canvasNode(id, node, at)
    }),
    edges: edges.map((edge, index) => {
      const old = before?.edges[index]
      return old && old.data!.edge === edge ? old : canvasEdge(edge, index)
    }),
  }
}

/** The document that a canvas shows. Only what was moved there is put into its layout. */
export function fromCanvas({ nodes, edges, rest }: Canvas): AgentDocument {
  const document: AgentDocument = {
    ...rest,
    nodes: nodes.map(({ data }) => data.node),
    edges: edges.map(({ data }) => data!.edge),
  }
  const moved = nodes.filter(({ position, data: { at } }) => position.x !== at.x || position.y !== at.y)
  return place(
    document,
    Object.fromEntries(moved.map(({ data, position }) => [data.node.id, { x: position.x, y: position.y }])),
  )
}

const canvasNode = (id: string, node: GraphNode, at: Position): CanvasNode => ({
  id,
  type: 'step',
  position: at,
  data: { node, at },
  ariaLabel: titleOf(node),
  // Known sizes and places: nothing has to be measured before wires can be drawn.
  width: WIDTH,
  height: heightOf(node),
  measured: { width: WIDTH, height: heightOf(node) },
  handles: portPlaces(node),
})

/** Ids of edges may repeat in a document; on the canvas the place makes them unique. */
const canvasEdge = (edge: Edge, index: number): CanvasEdge => ({
  id: `${index}`,
  type: 'wire',
  source: edge.source,
  sourceHandle: edge.sourceHandle,
  target: edge.target,
  targetHandle: edge.targetHandle,
  data: { edge, place: index },
})

/** A node whose id is not the only one of its kind is shown beside the other, under a name of its own. */
function uniqueNames(ids: string[]): string[] {
  const seen = new Set<string>()
  return ids.map((id, index) => {
    const name = seen.has(id) ? `${id}\u0000${index}` : id
    seen.add(id)
    return name
  })
}
