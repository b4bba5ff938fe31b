import { texts as waiting } from '../texts/waiting'

const texts = waiting.remaining

const MINUTE_MS = 60_000
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 24 * 60 * MINUTE_MS],
  ['hour', 60 * MINUTE_MS],
  ['minute', MINUTE_MS],
]
/** Two of a unit are told in it; less than two in the next smaller, so that "in 1 day" never means 47 hours. */
const AT_LEAST = 2
const relative = new Intl.RelativeTimeFormat('en')

/** How long it is until `time`, in words; both in epoch milliseconds. */
export function remaining(time: number, now: number): string {
  const left = time - now
  if (left <= 0) return texts.now
  for (const [unit, size] of UNITS) {
    if (left >= AT_LEAST * size) return relative.format(Math.floor(left / size), unit)
  }
  return left >= MINUTE_MS ? texts.oneMinute : texts.lessThanMinute
}
