import type { Db } from '#kernel/db/tables'
import type { Logger } from '#kernel/log'
import { every } from '#kernel/loop'
import { readCron } from './cron'
import { type Fire, whyNoRun } from './fire'
import { type TriggerRow, triggerStore } from './store'

/** How often the clock is looked at (interface, part 8). */
const TICK_MS = 5_000
/** Claims are kept far longer than the clocks of two instances may differ, from the instant that was waited for: a clock
 * that jumps ahead does not make us forget what it will come back to. */
const KEEP_CLAIMS_MS = 24 * 60 * 60 * 1000

interface Deps {
  db: Db
  fire: Fire
  /** Whether runs outlive this process (interface, part 8: then an instant is marked as fired before its run). */
  durable: boolean
  tickMs?: number
  log: Logger
  now: () => number
}

/** A schedule that is due, and the instant it is due for. */
interface Due {
  trigger: TriggerRow & { next_fire_at: number }
  slot: number
}

/**
 * Fires schedules. One is due when the instant it waits for has come. However many came since, the last one is fired
 * and the others are counted as missed; a fire that fails is not tried again. Of several instances on one database,
 * the one that is first to write the instant down fires it.
 */
export function dispatcher({ db, fire, durable, tickMs = TICK_MS, log, now }: Deps) {
  const store = triggerStore(db)
  let round = Promise.resolve()

  let latest = Number.NEGATIVE_INFINITY

  async function tick(signal: AbortSignal) {
    if (now() < latest) await waitAnew()
    latest = now()
    for (const { id } of await store.dueBy(now())) {
      if (signal.aborted) return
      const due = stillDue(await store.find(id), now())
      if (!due) continue
      // One that cannot even be read must not keep the others from their time.
      await (durable ? fireDurably(due, signal) : fireHere(due)).catch((error) =>
        log.error({ err: error, trigger: id }, 'a schedule could not be fired'),
      )
    }
  }

  /** After the clock was set back; what was fired already is not fired again. */
  async function waitAnew() {
    for (const trigger of await store.waitingAt(now())) {
      const was = trigger.next_fire_at
      const is = cronOf(trigger).firstAfter(now())
      if (was !== null && is !== null && is < was) await store.waitFor(trigger.id, { was, is })
    }
  }

  /** Marked as fired in the commit that stores its run: whatever dies, either both are there, or neither. */
  async function fireDurably(due: Due, signal: AbortSignal) {
    try {
      await fire(due.trigger, inputOf(due), (tx) => take(tx, due, null))
    } catch (error) {
      // A stop is no failure: whoever comes next fires the instant.
      if (signal.aborted) throw error
      const failure = failed(due, error)
      await db.transaction().execute((tx) => take(tx, due, failure))
    }
  }

  /** Marked as fired once its run has ended, or goes on for long. */
  async function fireHere(due: Due) {
    const { id } = due.trigger
    if (!(await store.claim(id, due.slot))) return
    const failure = await fire(due.trigger, inputOf(due)).then(
      () => null,
      (error) => failed(due, error),
    )
    await store.stamp(id, stampOf(due, now(), failure))
    await store.forgetClaims(id, due.trigger.next_fire_at - KEEP_CLAIMS_MS)
  }

  /** The first to write the instant down may fire it; the row of the schedule keeps the others waiting. */
  async function take(tx: Db, due: Due, failure: string | null): Promise<boolean> {
    const { id } = due.trigger
    const schedules = triggerStore(tx)
    if (!(await schedules.advance(id, stampOf(due, due.slot, failure)))) return false
    await schedules.forgetClaims(id, due.trigger.next_fire_at - KEEP_CLAIMS_MS)
    return schedules.claim(id, due.slot)
  }

  function failed({ trigger: { id } }: Due, error: unknown): string {
    log.warn({ err: error, trigger: id }, 'a schedule started no run')
    return whyNoRun(error)
  }

  return {
    start(signal: AbortSignal) {
      // It may have been set back while nothing was running.
      round = waitAnew().catch((error) => log.warn({ err: error }, 'schedules could not be looked at'))
      const work = () => {
        round = tick(signal)
        return round
      }
      every(tickMs, 'schedules', work, log, signal)
    },

    /** Resolves when what was being fired has been. */
    stop: () => round.catch(() => {}),
  }
}

/** Time has passed since the row was found: meanwhile it may have been fired, changed, switched off or deleted. */
function stillDue(trigger: TriggerRow | undefined, now: number): Due | undefined {
  if (!trigger || trigger.next_fire_at === null || trigger.next_fire_at > now) return undefined
  const slot = cronOf(trigger).lastUntil(now)
  return slot === null ? undefined : { trigger: { ...trigger, next_fire_at: trigger.next_fire_at }, slot }
}

/** What came between the instant it waited for and `firedAt` is missed, but for the one that was fired. */
function stampOf({ trigger }: Due, firedAt: number, lastError: string | null) {
  const cron = cronOf(trigger)
  return {
    firedAt,
    lastError,
    missed: cron.count(trigger.next_fire_at, firedAt) - 1,
    next: { was: trigger.next_fire_at, is: cron.firstAfter(firedAt) },
  }
}

const inputOf = ({ trigger }: Due): unknown => JSON.parse(trigger.config).input ?? null

const cronOf = ({ config }: TriggerRow) => readCron(JSON.parse(config).cron)
