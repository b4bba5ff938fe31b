import type { NodeHandle } from '@xyflow/react'
import type { GraphNode } from '../../src/graph/ir'

/** A node's outline in pixels of the canvas; `node-view.tsx` is drawn to it, so nothing needs measuring. */
export const WIDTH = 240
const HEAD = 76
const ROW = 24
const FOOT = 8
const PORT = 12

export const heightOf = ({ ports }: Pick<GraphNode, 'ports'>): number =>
  HEAD + Math.max(ports.in.length, ports.out.length, 1) * ROW + FOOT

/** From the node's top to the middle of a port. */
export const portY = (index: number): number => HEAD + index * ROW + ROW / 2

export const portPlaces = ({ ports }: Pick<GraphNode, 'ports'>): NodeHandle[] => [
  ...ports.in.map(({ id }, index) => handle(id, 'target', 'left', -PORT / 2, index)),
  ...ports.out.map(({ id }, index) => handle(id, 'source', 'right', WIDTH - PORT / 2, index)),
]

const handle = (
  id: string,
  type: 'source' | 'target',
  side: 'left' | 'right',
  x: number,
  index: number,
): NodeHandle => ({
  id,
  type,
  // The library's enum has these very texts as its values.
  position: side as NodeHandle['position'],
  x,
  y: portY(index) - PORT / 2,
  width: PORT,
  height: PORT,
})
