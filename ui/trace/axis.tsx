import { memo } from 'react'
import { classes } from '../kit/classes'
import { texts as trace } from '../texts/trace'
import { axisLabel, shortDuration } from './format'
import { ticks } from './scale'
import type { Gap, Timeline } from './timeline'

const texts = trace.waterfall

/** A label that would be cut off at its right is left out; its line stays. */
const LABEL_PX = 52

interface AxisProps {
  lengthNs: number
  timeline: Timeline
  gaps: readonly Gap[]
  folded: readonly Gap[]
  onFold: (gap: Gap) => void
  axisPx: number
  labelWidth: number
}

/** The instants along the top, a line down from each, and the gaps, which a click folds and unfolds. */
export const Axis = memo(function Axis({
  lengthNs,
  timeline,
  gaps,
  folded,
  onFold,
  axisPx,
  labelWidth,
}: AxisProps) {
  const pxPerNs = axisPx / Math.max(1, timeline.lengthNs)
  const pxAt = (ns: number) => timeline.place(ns) * pxPerNs
  const instants = ticks(0, lengthNs, 1 / pxPerNs).filter((at) => !folded.some((gap) => isIn(gap, at)))
  const step = instants.length > 1 ? instants[1]! - instants[0]! : lengthNs
  const edges = [...folded.map(({ fromNs }) => pxAt(fromNs)), axisPx]
  const hasRoom = (px: number) => edges.every((edge) => edge < px || px + LABEL_PX <= edge)
  return (
    <>
      <div className="sticky top-0 z-20 h-7 border-b bg-surface" style={{ width: labelWidth + axisPx }}>
        <div
          className="sticky left-0 z-10 flex h-full items-center border-r bg-surface px-2 text-xs font-medium text-faint"
          style={{ width: labelWidth }}
        >
          {texts.span}
        </div>
        {instants
          .filter((at) => at === 0 || hasRoom(pxAt(at)))
          .map((at) => (
            <span
              key={at}
              className="absolute top-0 pl-1 text-2xs leading-7 whitespace-nowrap text-faint"
              style={{ left: labelWidth + pxAt(at) }}
            >
              {axisLabel(at, step)}
            </span>
          ))}
        {gaps.map((gap) => (
          <GapHandle
            key={gap.fromNs}
            gap={gap}
            isFolded={folded.includes(gap)}
            left={labelWidth + pxAt(gap.fromNs)}
            width={pxAt(gap.toNs) - pxAt(gap.fromNs)}
            onFold={onFold}
          />
        ))}
      </div>
      <div
        aria-hidden
        className="pointer-events-none absolute inset-y-0"
        style={{ left: labelWidth, width: axisPx }}
      >
        {instants.map((at) => (
          <div key={at} className="absolute inset-y-0 w-px bg-line/70" style={{ left: pxAt(at) }} />
        ))}
        {folded.map(({ fromNs, toNs }) => (
          <div
            key={fromNs}
            className="absolute inset-y-0 border-x border-dashed border-line-strong bg-sunken"
            style={{ left: pxAt(fromNs), width: pxAt(toNs) - pxAt(fromNs) }}
          />
        ))}
      </div>
    </>
  )
})

const isIn = ({ fromNs, toNs }: Gap, ns: number) => ns > fromNs && ns < toNs

interface GapHandleProps {
  gap: Gap
  isFolded: boolean
  left: number
  width: number
  onFold: (gap: Gap) => void
}

/** A mouse's way to fold one gap; the toolbar has the keyboard's, for all of them. */
const GapHandle = ({ gap, isFolded, left, width, onFold }: GapHandleProps) => {
  const duration = shortDuration(gap.toNs - gap.fromNs)
  return (
    <span
      aria-hidden
      data-gap={isFolded ? 'folded' : 'open'}
      title={isFolded ? texts.unfoldGap(duration) : texts.foldGap(duration)}
      onClick={() => onFold(gap)}
      onDoubleClick={(event) => event.stopPropagation()}
      className={classes(
        'absolute bottom-0 flex cursor-pointer items-center justify-center overflow-hidden text-2xs whitespace-nowrap text-muted hover:text-text',
        isFolded ? 'top-0 bg-sunken' : 'h-1.5 bg-line-strong/60 hover:bg-accent/50',
      )}
      style={{ left, width }}
    >
      {isFolded && duration}
    </span>
  )
}
