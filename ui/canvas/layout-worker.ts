import { Graph, layout } from '@dagrejs/dagre'
import type { Position } from './view'

/** A graph as far as it matters for where things stand. Sizes are in pixels of the canvas. */
export interface Plan {
  nodes: { id: string; width: number; height: number }[]
  edges: { source: string; target: string }[]
}

const COLUMN_GAP = 90
const ROW_GAP = 40

/** Runs apart from the page: a thousand nodes take a while. */
addEventListener('message', ({ data }: MessageEvent<Plan>) => postMessage(arrange(data)))

function arrange({ nodes, edges }: Plan): Record<string, Position> {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: 'LR', ranksep: COLUMN_GAP, nodesep: ROW_GAP })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id, width, height } of nodes) graph.setNode(id, { width, height })
  for (const [index, { source, target }] of edges.entries()) {
    graph.setEdge(source, target, {}, String(index))
  }
  layout(graph)
  return Object.fromEntries(
    nodes.map(({ id, width, height }) => {
      // Dagre tells the middle of a node.
      const { x, y } = graph.node(id) as Position
      return [id, { x: Math.round(x - width / 2), y: Math.round(y - height / 2) }]
    }),
  )
}
