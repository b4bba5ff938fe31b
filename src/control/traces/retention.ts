import type { Db } from '#kernel/db/tables'
import type { Logger } from '#kernel/log'
import { every } from '#kernel/loop'
import type { SettingsService } from '../settings/service'
import { traceStore } from './store'

const SWEEP_MS = 60_000
const MS_PER_S = 1_000
const MS_PER_DAY = 24 * 60 * 60 * 1000
/** A statement stays short, so that runs can write in between. */
const ROWS_PER_STATEMENT = 500

interface Deps {
  db: Db
  settings: Pick<SettingsService, 'get'>
  log: Logger
  now: () => number
  /** Tests shorten it. */
  retentionSweepMs?: number
}

/**
 * Deletes recorded inputs and outputs that are over their time, the platform's or their agent's, whichever is shorter.
 * The spans stay.
 */
export function startRetention(deps: Deps, signal: AbortSignal) {
  every(
    deps.retentionSweepMs ?? SWEEP_MS,
    'retention of inputs and outputs',
    () => sweep(deps, signal),
    deps.log,
    signal,
  )
}

async function sweep({ db, settings, log, now }: Deps, signal: AbortSignal) {
  const store = traceStore(db)
  const at = now()
  const days = settings.get('telemetry.io_retention_days')
  let removed = 0
  if (days > 0) removed += await all((rows) => store.removeIoBefore(at - days * MS_PER_DAY, rows), signal)
  for (const { agentId, seconds } of await store.retentions())
    removed += await all((rows) => store.removeIoOf(agentId, at - seconds * MS_PER_S, rows), signal)
  if (removed > 0) log.info({ removed }, 'recorded inputs and outputs were deleted after their time')
}

async function all(remove: (rows: number) => Promise<number>, signal: AbortSignal): Promise<number> {
  let removed = 0
  for (let last = ROWS_PER_STATEMENT; last === ROWS_PER_STATEMENT && !signal.aborted; removed += last) {
    last = await remove(ROWS_PER_STATEMENT)
  }
  return removed
}
