import { texts } from '../texts/runs'

/** How the list of runs is narrowed, as the address has it. */
export interface RunFilters {
  text?: string
  status?: string
  agent?: string
  version?: string
  trigger?: string
  period?: string
}

export const STATUSES = [
  { value: 'created,streaming', label: texts.status.streaming },
  { value: 'waiting', label: texts.status.waiting },
  { value: 'completed', label: texts.status.completed },
  { value: 'failed', label: texts.status.failed },
] as const

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export const PERIODS = [
  { value: 'hour', label: texts.filters.periods.hour, ms: HOUR_MS },
  { value: 'day', label: texts.filters.periods.day, ms: DAY_MS },
  { value: 'week', label: texts.filters.periods.week, ms: 7 * DAY_MS },
  { value: 'month', label: texts.filters.periods.month, ms: 30 * DAY_MS },
] as const

/** The query of `GET /runs`; a period counts back from `nowMs`. What the address says wrongly does not narrow. */
export function queryOf({ text, status, agent, version, trigger, period }: RunFilters, nowMs: number) {
  const ms = PERIODS.find(({ value }) => value === period)?.ms
  return {
    text: text?.trim() || undefined,
    status: STATUSES.find(({ value }) => value === status)?.value,
    agent_id: agent,
    version,
    trigger_id: trigger,
    since: ms === undefined ? undefined : new Date(nowMs - ms).toISOString(),
  }
}

export const isNarrowed = (filters: RunFilters) => Object.values(filters).some(Boolean)

/** A run that was running when it was listed may have ended since. */
export const hasStatus = ({ status }: { status: string }, wanted: string | undefined) =>
  !STATUSES.some(({ value }) => value === wanted) || (wanted ?? '').split(',').includes(status)
