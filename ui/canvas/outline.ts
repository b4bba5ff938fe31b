import type { AgentDocument, GraphNode } from '../../src/graph/ir'
import { heightOf, portY, WIDTH } from './geometry'
import { placesOf } from './placing'
import type { Position } from './view'

/** A graph from afar, as paths of an SVG in pixels of the canvas: cheap to draw, however many nodes there are. */
export interface Outline {
  box: { x: number; y: number; width: number; height: number }
  steps: string
  /** The steps that ask a model. */
  models: string
  wires: string
}

const MODELS = new Set(['llm', 'transcribe', 'speak', 'imagine'])
const PADDING = 40
/** A wire leaves its port at least so far in its own direction. */
const BEND = 60

export function outlineOf(document: AgentDocument): Outline {
  const places = placesOf(document)
  const boxes = document.nodes.map((node, index) => ({ node, at: places[index]! }))
  const byId = new Map(boxes.map((box) => [box.node.id, box]))
  const drawn = (wanted: boolean) =>
    boxes
      .filter(({ node }) => MODELS.has(node.type) === wanted)
      .map(({ node, at: { x, y } }) => `M${round(x)} ${round(y)}h${WIDTH}v${heightOf(node)}h-${WIDTH}z`)
      .join('')
  const wires = document.edges.flatMap(({ source, sourceHandle, target, targetHandle }) => {
    const [from, to] = [byId.get(source), byId.get(target)]
    if (!from || !to) return []
    const a = { x: from.at.x + WIDTH, y: from.at.y + middleOf(from.node, 'out', sourceHandle) }
    return curve(a, { x: to.at.x, y: to.at.y + middleOf(to.node, 'in', targetHandle) })
  })
  return { box: boxAround(boxes), steps: drawn(false), models: drawn(true), wires: wires.join('') }
}

const middleOf = ({ ports }: GraphNode, side: 'in' | 'out', port: string): number =>
  portY(
    Math.max(
      0,
      ports[side].findIndex(({ id }) => id === port),
    ),
  )

function curve(a: Position, b: Position): string {
  const bend = Math.max(BEND, Math.abs(b.x - a.x) / 2)
  const [from, to] = [Math.round(a.x + bend), Math.round(b.x - bend)]
  return `M${round(a.x)} ${round(a.y)}C${from} ${round(a.y)} ${to} ${round(b.y)} ${round(b.x)} ${round(b.y)}`
}

function boxAround(boxes: { node: GraphNode; at: Position }[]): Outline['box'] {
  if (boxes.length === 0) return { x: 0, y: 0, width: WIDTH, height: WIDTH }
  const side = (pick: (box: (typeof boxes)[number]) => number) => boxes.map(pick)
  const left = side(({ at }) => at.x).reduce(smaller) - PADDING
  const top = side(({ at }) => at.y).reduce(smaller) - PADDING
  const right = side(({ at }) => at.x + WIDTH).reduce(larger) + PADDING
  const bottom = side(({ node, at }) => at.y + heightOf(node)).reduce(larger) + PADDING
  return { x: left, y: top, width: right - left, height: bottom - top }
}

const smaller = (a: number, b: number) => Math.min(a, b)
const larger = (a: number, b: number) => Math.max(a, b)
const round = Math.round
