/** The waterfall's zoom: 1x shows the whole run, 32x a thirty-second of it (specification, part 8). */
export const MIN_ZOOM = 1
export const MAX_ZOOM = 32

export const clampZoom = (zoom: number) => Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, zoom))

interface Zooming {
  from: number
  to: number
  /** Pixels from the left edge of the visible part: what is there stays there. */
  anchor: number
  scrollLeft: number
  /** Width of the visible part. */
  width: number
}

/** Where to scroll to so that the instant under the pointer stays under it. */
export function scrollAfterZoom({ from, to, anchor, scrollLeft, width }: Zooming): number {
  const wanted = ((scrollLeft + anchor) * to) / from - anchor
  return Math.min(Math.max(0, wanted), width * (to - 1))
}

/** Where to scroll to so that an instant, as a fraction of the whole, is in the middle. */
export const scrollToMiddle = (fraction: number, zoom: number, width: number) =>
  Math.min(Math.max(0, fraction * width * zoom - width / 2), width * (zoom - 1))

/** The zoom and scroll that show the span from `startNs` to `endNs` with some room around it. */
export function fit(startNs: number, endNs: number, durationNs: number, width: number) {
  const room = 1.25
  const length = Math.max(endNs - startNs, durationNs / MAX_ZOOM / room)
  const zoom = durationNs === 0 ? MIN_ZOOM : clampZoom(durationNs / (length * room))
  const fraction = durationNs === 0 ? 0 : (startNs + endNs) / 2 / durationNs
  return { zoom, scrollLeft: scrollToMiddle(fraction, zoom, width) }
}

const MINUTE_NS = 60e9
/** Above a minute people count in sixties. */
const LONG_STEPS_NS = [60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400].map((s) => s * 1e9)

/** The instants to label between `fromNs` and `toNs`, at least `minGapPx` apart. */
export function ticks(fromNs: number, toNs: number, nsPerPx: number, minGapPx = 96): number[] {
  const step = stepFor(nsPerPx * minGapPx)
  if (!(step > 0) || !Number.isFinite(step)) return [0]
  const list: number[] = []
  for (let at = Math.ceil(fromNs / step) * step; at <= toNs; at += step) list.push(at)
  return list
}

function stepFor(leastNs: number): number {
  if (leastNs >= MINUTE_NS / 2) {
    return LONG_STEPS_NS.find((step) => step >= leastNs) ?? Math.ceil(leastNs / 86_400e9) * 86_400e9
  }
  const power = 10 ** Math.floor(Math.log10(leastNs))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= leastNs)!
  return step > 10e9 && step < MINUTE_NS ? (step <= 30e9 ? 30e9 : MINUTE_NS) : step
}
