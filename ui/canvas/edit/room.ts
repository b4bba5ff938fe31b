import type { AgentDocument } from '../../../src/graph/ir'
import { heightOf, WIDTH } from '../geometry'
import { entryOf, type Position, positionIn } from '../view'

const GAP = 40
const NEW_HEIGHT = 120

/** The wanted place, or the next one below it where no node is. */
export function clearOf(document: AgentDocument, wanted: Position): Position {
  const taken = document.nodes.flatMap((node) => {
    const at = positionIn(entryOf(document, node.id))
    return at && Math.abs(at.x - wanted.x) < WIDTH ? [{ top: at.y, bottom: at.y + heightOf(node) }] : []
  })
  let { y } = wanted
  for (const { top, bottom } of taken.sort((a, b) => a.top - b.top)) {
    if (y < bottom && y + NEW_HEIGHT > top) y = bottom + GAP
  }
  return { x: wanted.x, y }
}
