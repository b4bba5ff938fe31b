import type { CanvasNode } from './adapter'

const PADDING = 48
const LARGEST = 1
/** Smaller than that nobody can read a whole graph. */
const SMALLEST = 0.4
/** A larger one opens at its beginning instead. */
const READABLE = 0.6

/** The first view of a graph: all of it where that can be read. */
export function firstLook(
  nodes: readonly CanvasNode[],
  { width, height }: { width: number; height: number },
) {
  if (nodes.length === 0) return { x: width / 2, y: height / 2, zoom: 1 }
  const left = Math.min(...nodes.map(({ position }) => position.x))
  const top = Math.min(...nodes.map(({ position }) => position.y))
  const right = Math.max(...nodes.map((node) => node.position.x + node.width!))
  const bottom = Math.max(...nodes.map((node) => node.position.y + node.height!))
  const fit = Math.min((width - 2 * PADDING) / (right - left), (height - 2 * PADDING) / (bottom - top))
  const fits = fit >= SMALLEST
  const zoom = fits ? Math.min(fit, LARGEST) : READABLE
  const first = nodes.reduce((a, b) => (b.position.x < a.position.x ? b : a))
  return {
    zoom,
    x: fits ? (width - (right - left) * zoom) / 2 - left * zoom : PADDING - left * zoom,
    y: fits ? (height - (bottom - top) * zoom) / 2 - top * zoom : height / 2 - (first.position.y + 50) * zoom,
  }
}

/**
 * Runs when the canvas knows the room that a panel has just taken from it, or left: sizes are told after the layout of
 * the next frame, so it is the one after that. What looks earlier looks at where things were.
 */
export const afterLayout = (run: () => void) => {
  requestAnimationFrame(() => requestAnimationFrame(run))
}
