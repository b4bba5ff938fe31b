import { Cron } from 'croner'

/** Longer ones are lists that nobody can read, and some that take long to read. */
const MAX_CHARACTERS = 200
/** What a count of instants stops at: a year of a schedule that fires each minute has half a million. */
const MAX_COUNTED = 10_000
const SECOND_MS = 1_000

/** When a schedule fires: whole minutes in UTC, whatever zone the machine is in. All times are epoch milliseconds. */
export interface Instants {
  /** The first one after `time`; `null` where there is none. */
  firstAfter(time: number): number | null
  /** The last one that is not after `time`. */
  lastUntil(time: number): number | null
  /** How many lie from `first`, an instant, to `until`, both counted; at most 10,000. */
  count(first: number, until: number): number
}

/** @throws {Error} what is wrong with the expression */
export function readCron(expression: string): Instants {
  if (expression.length > MAX_CHARACTERS) throw new Error(`It is longer than ${MAX_CHARACTERS} characters.`)
  // Names such as @daily would pass for five fields.
  if (expression.trim().split(/\s+/).length !== 5) throw new Error('It has to have five fields.')
  const cron = new Cron(expression, { mode: '5-part', utcOffset: 0 })

  const firstAfter = (time: number) => cron.nextRun(new Date(time))?.getTime() ?? null
  return {
    firstAfter,

    // The library looks at whole seconds, and before the one it is given.
    lastUntil: (time) => cron.previousRuns(1, new Date(time + SECOND_MS))[0]?.getTime() ?? null,

    count(first, until) {
      let counted = 0
      for (let at: number | null = first; at !== null && at <= until; at = firstAfter(at)) {
        if (++counted === MAX_COUNTED) break
      }
      return counted
    },
  }
}
