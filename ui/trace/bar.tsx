import { classes } from '../kit/classes'
import { texts as trace } from '../texts/trace'
import { shortDuration } from './format'
import { firstTokenNs } from './stats'
import type { Timeline } from './timeline'
import type { Row } from './tree'

const texts = trace.waterfall

/** Below this a bar could not be seen or hit. */
const LEAST_PX = 3
/** What a duration beside or inside a bar needs. */
const LABEL_PX = 72

interface BarProps {
  row: Row
  /** How long the whole trace is by now. */
  lengthNs: number
  timeline: Timeline
  /** Width of the whole time axis, zoomed. */
  axisPx: number
  labelWidth: number
}

export function Bar({ row, lengthNs, timeline, axisPx, labelWidth }: BarProps) {
  const { span, startNs } = row
  const endNs = row.endNs ?? lengthNs
  const pxPerNs = timeline.lengthNs === 0 ? 0 : axisPx / timeline.lengthNs
  const pxAt = (ns: number) => timeline.place(ns) * pxPerNs
  const left = Math.min(pxAt(startNs), axisPx - LEAST_PX)
  const width = Math.max(LEAST_PX, pxAt(endNs) - pxAt(startNs))
  const text = span.status === 'skipped' ? texts.skipped : shortDuration(endNs - startNs)
  const place = width >= LABEL_PX ? 'inside' : left + width + LABEL_PX <= axisPx ? 'after' : 'before'
  const firstToken = shownFirstToken(row)
  const firstTokenPx =
    firstToken === null ? null : Math.min(width, pxAt(startNs + firstToken) - pxAt(startNs))
  return (
    <div className="absolute inset-y-0" style={{ left: labelWidth + left, width }}>
      <div
        data-bar
        className={classes(
          'absolute inset-x-0 inset-y-1.5 overflow-hidden rounded-sm',
          looksOf(row),
          span.status === 'running' && 'rounded-r-none',
        )}
      >
        {firstTokenPx !== null && span.status !== 'err' && (
          <div
            data-streaming
            className="absolute inset-y-0 right-0 bg-accent/75"
            style={{ left: firstTokenPx }}
          />
        )}
        {span.status === 'running' && (
          <div className="absolute inset-y-0 right-0 w-0.5 animate-pulse bg-accent" />
        )}
      </div>
      {firstTokenPx !== null && (
        <div
          data-first-token
          title={texts.firstToken(shortDuration(firstToken!))}
          className="absolute inset-y-0.5 w-0.5 -translate-x-px rounded-full bg-text"
          style={{ left: firstTokenPx }}
        />
      )}
      <Duration
        // A first token that came early must not hide below the figure.
        indent={
          firstTokenPx !== null && firstTokenPx < LABEL_PX && firstTokenPx + LABEL_PX < width
            ? firstTokenPx
            : 0
        }
        text={text}
        place={place}
        labelWidth={labelWidth}
        solid={firstTokenPx !== null && span.status !== 'err'}
      />
    </div>
  )
}

/** A node that waits for its model repeats the model's figure, which counts from the model's own start. */
const shownFirstToken = (row: Row) =>
  row.childCount === 0 && row.endNs !== row.startNs ? firstTokenNs(row) : null

interface DurationProps {
  /** Pixels of the bar to leave free at its start. */
  indent: number
  text: string
  place: 'inside' | 'after' | 'before'
  labelWidth: number
  solid: boolean
}

/** Inside a long bar it stays in sight while one scrolls along. */
function Duration({ indent, text, place, labelWidth, solid }: DurationProps) {
  const looks = 'pointer-events-none text-2xs leading-none whitespace-nowrap'
  if (place === 'inside') {
    return (
      <div className="relative flex h-full items-center" style={{ paddingLeft: indent }}>
        <span
          className={classes(
            looks,
            'sticky rounded-sm px-1 py-0.5 text-text contrast-more:bg-surface',
            solid && 'ml-1.5 bg-surface/85',
            !solid && 'ml-1',
          )}
          style={{ left: labelWidth + 4 }}
        >
          {text}
        </span>
      </div>
    )
  }
  return (
    <span
      className={classes(
        looks,
        'absolute top-1/2 -translate-y-1/2 text-muted',
        place === 'after' ? 'left-full ml-1.5' : 'right-full mr-1.5',
      )}
    >
      {text}
    </span>
  )
}

const HATCHED =
  'border border-dashed border-line-strong bg-[repeating-linear-gradient(135deg,var(--line)_0_2px,transparent_2px_6px)]'

/** The colour tells the level, red tells a failure; words say the same in the panel and to screen readers. */
function looksOf({ span, depth }: Row): string {
  if (span.status === 'skipped') return HATCHED
  if (span.status === 'err') return 'bg-bad/30 ring-1 ring-bad/70 ring-inset'
  if (span.phase === 'queue_wait') return 'bg-line-strong/60'
  if (span.phase?.startsWith('tool.')) return 'bg-good/35 ring-1 ring-good/40 ring-inset'
  if (depth === 0) return 'bg-line-strong/70'
  return 'bg-accent/25 ring-1 ring-accent/30 ring-inset'
}
