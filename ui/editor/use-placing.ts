import { type RefObject, useState } from 'react'
import type { AgentDocument, GraphNode } from '../../src/graph/ir'
import type { NodeTypeName } from '../../src/graph/node-types'
import { insertOnEdge } from '../canvas/edit/edges'
import { BETWEEN, fitting, type Loose, takeUp } from '../canvas/edit/fits'
import { addAfter } from '../canvas/edit/follow'
import { clearOf } from '../canvas/edit/room'
import { type ListedModel, OFFERED, startNode } from '../canvas/edit/starters'
import { WIDTH } from '../canvas/geometry'
import type { CanvasApi } from '../canvas/graph-canvas'
import type { Position } from '../canvas/view'
import { afterLayout } from '../canvas/viewport'
import { texts as editor } from '../texts/editor'

const texts = editor.placing

/** What is being placed: a new node at the end of a wire, on a wire, or anywhere. */
export interface Placing {
  at: Position
  types: readonly NodeTypeName[]
  title: string
  put: (type: NodeTypeName) => void
}

interface Deps {
  document: AgentDocument
  models: readonly ListedModel[]
  /** The node that is chosen. */
  node: GraphNode | undefined
  canvas: RefObject<CanvasApi | null>
  edit: (next: AgentDocument) => void
  choose: (ids: Iterable<string>) => void
}

/** From the middle of a new node to its top, about. */
const HALF = 60

/** The ways in which a node comes into the graph. */
export function usePlacing({ document, models, node, canvas, edit, choose }: Deps) {
  const [placing, setPlacing] = useState<Placing | null>(null)
  const placeAt = (screen: Position): Position => canvas.current?.placeAt(screen) ?? { x: 0, y: 0 }
  const middle = (): Position => {
    const { x, y } = canvas.current?.middle() ?? { x: 0, y: 0 }
    return { x: Math.round(x - WIDTH / 2), y: Math.round(y - HALF) }
  }

  /** After the chosen node; else in the middle of what is on show. */
  function add(type: NodeTypeName) {
    const made = node
      ? addAfter(document, node, type, models)
      : startNode(document, type, clearOf(document, middle()), models)
    edit(made.document)
    choose([made.id])
    afterLayout(() => canvas.current?.show(node ? [node.id, made.id] : [made.id]))
  }

  /** Where something of the palette came down. */
  function drop(type: NodeTypeName, screen: Position) {
    const { x, y } = placeAt(screen)
    const made = startNode(document, type, { x: Math.round(x - WIDTH / 2), y: Math.round(y - 20) }, models)
    edit(made.document)
    choose([made.id])
  }

  function putOnEdge(type: NodeTypeName, edge: number, screen: Position) {
    const { x, y } = placeAt(screen)
    const made = startNode(document, type, { x: x - WIDTH / 2, y: y - HALF }, models)
    edit(insertOnEdge(made.document, edge, made.id))
    choose([made.id])
  }

  function takeLoose(loose: Loose, screen: Position) {
    const { x, y } = placeAt(screen)
    setPlacing({
      at: screen,
      types: fitting(document, loose),
      title: texts.atWire,
      put(type) {
        const at = { x: loose.from === 'out' ? x : x - WIDTH, y: y - HALF }
        const made = startNode(document, type, at, models)
        edit(takeUp(made.document, loose, made.id))
        choose([made.id])
      },
    })
  }

  return {
    placing,
    add,
    drop,
    putOnEdge,
    takeLoose,
    open: (at: Position) => setPlacing({ at, types: OFFERED, title: texts.anywhere, put: add }),
    openOnEdge: (edge: number, at: Position) =>
      setPlacing({
        at,
        types: BETWEEN,
        title: texts.onWire,
        put: (type) => putOnEdge(type, edge, at),
      }),
    close: () => setPlacing(null),
  }
}
