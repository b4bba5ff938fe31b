import { texts as reports } from '../texts/gateway-reports'
import { count, short } from '../texts/words'
import type { Report } from './data'
import { costText, money, tokensOf } from './format'

const texts = reports.fields

type Row = Report['rows'][number]

export interface Day {
  day: string
  /** Epoch seconds, as the chart counts. */
  time: number
  /** Null for a day on which nothing happened. */
  row: Row | null
}

export interface Metric {
  value: 'cost' | 'tokens' | 'requests' | 'errors'
  label: string
  /** Null draws nothing: nobody knows what it cost. */
  of: (day: Day) => number | null
  text: (day: Day) => string
  tick: (value: number) => string
}

export const METRICS: readonly Metric[] = [
  {
    value: 'cost',
    label: texts.cost,
    of: ({ row }) => (row && row.unpriced > 0 && row.cost === 0 ? null : (row?.cost ?? 0)),
    text: ({ row }) => (row ? costText(row) : money(0)),
    tick: money,
  },
  {
    value: 'tokens',
    label: texts.tokens,
    of: ({ row }) => (row ? tokensOf(row) : 0),
    text: ({ row }) => count(row ? tokensOf(row) : 0),
    tick: short,
  },
  {
    value: 'requests',
    label: texts.requests,
    of: ({ row }) => row?.requests ?? 0,
    text: ({ row }) => count(row?.requests ?? 0),
    tick: short,
  },
  {
    value: 'errors',
    label: texts.errors,
    of: ({ row }) => row?.errors ?? 0,
    text: ({ row }) => count(row?.errors ?? 0),
    tick: short,
  },
]

const DAY_MS = 24 * 60 * 60 * 1000
/** About three years: more bars than pixels say nothing. */
const MOST_DAYS = 1_100

/** Every day of a report by day, also those without a request; the newest where there are too many. */
export function daysOf({ from, to, rows }: Report): Day[] {
  const known = new Map(rows.map((row) => [row.day, row]))
  const end = Date.parse(to)
  const days: Day[] = []
  for (let at = Math.max(Date.parse(from), end - MOST_DAYS * DAY_MS); at < end; at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10)
    days.push({ day, time: at / 1_000, row: known.get(day) ?? null })
  }
  return days
}
