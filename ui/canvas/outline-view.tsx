import { memo } from 'react'
import type { Outline } from './outline'

/** A graph from afar, as it lies in an `<svg>` whose `viewBox` is `viewBoxOf(outline)`. */
export const OutlineView = memo(function OutlineView({ outline }: { outline: Outline }) {
  return (
    <>
      <path d={outline.wires} className="outline-wires" />
      <path d={outline.steps} className="outline-steps" />
      <path d={outline.models} className="outline-models" />
    </>
  )
})

/** Small graphs are not blown up: at least so much of a canvas is always shown. */
const LEAST = { width: 900, height: 300 }

export function viewBoxOf({ box }: Outline): string {
  const width = Math.max(box.width, LEAST.width)
  const height = Math.max(box.height, LEAST.height)
  return [box.x - (width - box.width) / 2, box.y - (height - box.height) / 2, width, height]
    .map(Math.round)
    .join(' ')
}
