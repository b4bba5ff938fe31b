import { BaseEdge, type EdgeProps, getBezierPath } from '@xyflow/react'
import { memo } from 'react'
import { texts } from '../texts/canvas'
import type { CanvasEdge } from './adapter'
import { useFacts } from './facts'

const BUTTON = 9

/** One edge, in the colour of what it carries, with a button in its middle that puts a node there. */
export const WireView = memo(function WireView(props: EdgeProps<CanvasEdge>) {
  const { runs, document, readOnly, onInsert } = useFacts()
  const [path, x, y] = getBezierPath(props)
  const { edge, place } = props.data!
  const port = document.nodes
    .find(({ id }) => id === edge.source)
    ?.ports.out.find(({ id }) => id === edge.sourceHandle)
  const carries = port?.type === 'error' ? 'error' : edge.channel
  const isLive = runs.get(edge.target)?.status === 'running'
  return (
    <>
      <BaseEdge
        path={path}
        className={`wire wire-${carries} ${props.selected ? 'wire-selected' : ''} ${isLive ? 'wire-live' : ''}`}
        interactionWidth={24}
      />
      {!readOnly && edge.channel !== 'tool' && (
        // biome-ignore lint/a11y/noStaticElementInteractions: for the mouse only; the keyboard has it in the inspector
        <g
          className="wire-insert"
          transform={`translate(${x} ${y})`}
          onClick={(event) => {
            event.stopPropagation()
            onInsert(place, { x: event.clientX, y: event.clientY })
          }}
        >
          <title>{texts.wire.insert}</title>
          <circle r={BUTTON} />
          <path d={`M ${-BUTTON / 2} 0 H ${BUTTON / 2} M 0 ${-BUTTON / 2} V ${BUTTON / 2}`} />
        </g>
      )}
    </>
  )
})
