import type { AgentDocument } from '../../src/graph/ir'
import { topologicalOrder } from '../../src/graph/order'
import { heightOf, WIDTH } from './geometry'
import { entryOf, type Position, positionIn } from './view'

const GAP_X = 90
const GAP_Y = 40

/** Where every node stands, by index. */
export function placesOf(document: AgentDocument): Position[] {
  const missing = missingPlaces(document)
  return document.nodes.map(({ id }, index) => positionIn(entryOf(document, id)) ?? missing.get(index)!)
}

/**
 * Places, by index, for nodes that nobody placed: columns by how far they are from a start. They are shown there, and
 * written down only when somebody moves them.
 */
function missingPlaces(document: AgentDocument): Map<number, Position> {
  const missing = document.nodes.flatMap((node, index) =>
    positionIn(entryOf(document, node.id)) ? [] : [index],
  )
  if (missing.length === 0) return new Map()
  const depths = depthsOf(document)
  const bottom = missing.length === document.nodes.length ? 0 : lowest(document)
  const heights = new Map<number, number>()
  return new Map(
    missing.map((index) => {
      const node = document.nodes[index]!
      const column = depths.get(node.id) ?? 0
      const y = heights.get(column) ?? bottom
      heights.set(column, y + heightOf(node) + GAP_Y)
      return [index, { x: column * (WIDTH + GAP_X), y }]
    }),
  )
}

function depthsOf({ nodes, edges }: AgentDocument): Map<string, number> {
  const depths = new Map<string, number>()
  const from = Map.groupBy(edges, ({ source }) => source)
  for (const id of topologicalOrder({ nodes, edges })) {
    const depth = depths.get(id) ?? 0
    depths.set(id, depth)
    for (const { target, channel } of from.get(id) ?? []) {
      if (channel !== 'tool') depths.set(target, Math.max(depths.get(target) ?? 0, depth + 1))
    }
  }
  return depths
}

const lowest = (document: AgentDocument): number =>
  document.nodes.reduce((low, node) => {
    const position = positionIn(entryOf(document, node.id))
    return position ? Math.max(low, position.y + heightOf(node) + GAP_Y) : low
  }, 0)
