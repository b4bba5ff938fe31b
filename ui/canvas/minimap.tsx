import { type ReactFlowState, useReactFlow, useStore } from '@xyflow/react'
import { type PointerEvent, useMemo, useRef } from 'react'
import type { AgentDocument } from '../../src/graph/ir'
import { outlineOf } from './outline'
import { OutlineView, viewBoxOf } from './outline-view'

/** The whole graph, small, with what is on show; a click or a drag goes there. Keys have the search instead. */
export function Minimap({ document }: { document: AgentDocument }) {
  const outline = useMemo(() => outlineOf(document), [document])
  const svg = useRef<SVGSVGElement>(null)
  const flow = useReactFlow()

  function go(event: PointerEvent<SVGSVGElement>) {
    if (event.buttons === 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    const matrix = svg.current!.getScreenCTM()
    if (!matrix) return
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse())
    void flow.setCenter(x, y, { zoom: flow.getZoom() })
  }

  return (
    <svg
      ref={svg}
      role="img"
      aria-label="The whole graph"
      viewBox={viewBoxOf(outline)}
      className="outline nopan nowheel h-28 w-44 cursor-pointer touch-none rounded-lg border bg-raised shadow-card"
      onPointerDown={go}
      onPointerMove={go}
    >
      <OutlineView outline={outline} />
      <OnShow />
    </svg>
  )
}

const shown = ({ transform: [x, y, zoom], width, height }: ReactFlowState) =>
  `${-x / zoom} ${-y / zoom} ${width / zoom} ${height / zoom}`

/** The part that is on show. Apart, because it moves with every frame. */
function OnShow() {
  const [x, y, width, height] = useStore(shown).split(' ').map(Number)
  return <rect x={x} y={y} width={width} height={height} className="outline-shown" />
}
