import { axisLabel } from './format'
import { ticks } from './scale'

/** A label that would be cut off at the end is left out; its line stays. */
const LABEL_PX = 52

interface AxisProps {
  lengthNs: number
  axisPx: number
  labelWidth: number
}

/** The instants along the top, and a line down from each. */
export function Axis({ lengthNs, axisPx, labelWidth }: AxisProps) {
  const nsPerPx = lengthNs / Math.max(1, axisPx)
  const instants = ticks(0, lengthNs, nsPerPx)
  const step = instants.length > 1 ? instants[1]! - instants[0]! : lengthNs
  return (
    <>
      <div className="sticky top-0 z-20 h-7 border-b bg-surface" style={{ width: labelWidth + axisPx }}>
        <div
          className="sticky left-0 z-10 flex h-full items-center border-r bg-surface px-2 text-xs font-medium text-faint"
          style={{ width: labelWidth }}
        >
          Span
        </div>
        {instants
          .filter((at) => at === 0 || at / nsPerPx + LABEL_PX <= axisPx)
          .map((at) => (
            <span
              key={at}
              className="absolute top-0 pl-1 text-2xs leading-7 whitespace-nowrap text-faint"
              style={{ left: labelWidth + at / nsPerPx }}
            >
              {axisLabel(at, step)}
            </span>
          ))}
      </div>
      <div
        aria-hidden
        className="pointer-events-none absolute inset-y-0"
        style={{ left: labelWidth, width: axisPx }}
      >
        {instants.map((at) => (
          <div key={at} className="absolute inset-y-0 w-px bg-line/70" style={{ left: at / nsPerPx }} />
        ))}
      </div>
    </>
  )
}
