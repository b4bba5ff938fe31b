import { AppError } from '#kernel/errors'

const DAY_MS = 24 * 60 * 60 * 1000
const DEFAULT_DAYS = 30

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** The days of a report: `from` is in, `to` is not. A time within a day takes that day in. @throws {AppError} `invalid_report` */
export function rangeOf({ from, to }: { from?: string; to?: string }, now: number) {
  const last = to === undefined ? startOf(now) + DAY_MS : ceiling(timeOf('to', to))
  const first = from === undefined ? last - DEFAULT_DAYS * DAY_MS : startOf(timeOf('from', from))
  if (first >= last) throw new AppError('invalid_report', '`from` must be before `to`.')
  return { from: dayOf(first), to: dayOf(last) }
}
export type Range = ReturnType<typeof rangeOf>

const startOf = (ms: number): number => ms - (ms % DAY_MS)
const ceiling = (ms: number): number => (ms % DAY_MS === 0 ? ms : startOf(ms) + DAY_MS)

function timeOf(name: string, text: string): number {
  const ms = Date.parse(text.includes('T') ? text : `${text}T00:00:00Z`)
  // Years beyond four digits would not sort as text.
  if (!(ms >= 0 && ms < Date.UTC(9999, 0, 1)))
    throw new AppError('invalid_report', `\`${name}\` is no date or time.`)
  return ms
}
