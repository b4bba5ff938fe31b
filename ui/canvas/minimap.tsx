import { type ReactFlowState, useReactFlow, useStore } from '@xyflow/react'
import { type PointerEvent, useMemo, useRef } from 'react'
import type { AgentDocument } from '../../src/graph/ir'
import { texts } from '../texts/canvas'
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

  const box = viewBoxOf(outline)
  return (
    <div className="nopan nowheel relative h-28 w-44 overflow-hidden rounded-lg border bg-raised shadow-card">
      {/* A layer of its own: what moves above it with every frame must not paint it anew. */}
      <svg aria-hidden viewBox={box} className="absolute inset-0 size-full will-change-transform">
        <OutlineView outline={outline} />
      </svg>
      <svg
        ref={svg}
        role="img"
        aria-label={texts.minimap}
        viewBox={box}
        className="absolute inset-0 size-full cursor-pointer touch-none will-change-transform"
        onPointerDown={go}
        onPointerMove={go}
      >
        <OnShow />
      </svg>
    </div>
  )
}

const shown = ({ transform: [x, y, zoom], width, height }: ReactFlowState) =>
  `${-x / zoom} ${-y / zoom} ${width / zoom} ${height / zoom}`

/** The part that is on show. Apart, because it moves with every frame. */
function OnShow() {
  const [x, y, width, height] = useStore(shown).split(' ').map(Number)
  return <rect x={x} y={y} width={width} height={height} className="outline-shown" />
}
