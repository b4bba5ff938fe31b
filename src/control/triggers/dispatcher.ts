import type { Db } from '#kernel/db/tables'
import type { Logger } from '#kernel/log'
import { every } from '#kernel/loop'
import { readCron } from './cron'
import { type Fire, whyNoRun } from './fire'
import { type TriggerRow, triggerStore } from './store'

/** How often the clock is looked at (interface, part 8). */
const TICK_MS = 5_000
/** Claims are kept far longer than the clocks of two instances may differ. */
const KEEP_CLAIMS_MS = 24 * 60 * 60 * 1000

interface Deps {
  db: Db
  fire: Fire
  /** Durable runs outlive this process, so an instant is marked as fired before its run; otherwise after it. */
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

  async function tick(signal: AbortSignal) {
    for (const { id } of await store.dueBy(now())) {
      if (signal.aborted) return
      // One that cannot even be read must not keep the others from their time.
      await fireIfDue(id).catch((error) =>
        log.error({ err: error, trigger: id }, 'a schedule could not be fired'),
      )
    }
  }

  async function fireIfDue(id: string) {
    const due = stillDue(await store.find(id), now())
    if (!due || !(await claim(due))) return
    const { trigger } = due
    const failure = await fire(trigger, JSON.parse(trigger.config).input ?? null).then(
      () => null,
      (error) => {
        log.warn({ err: error, trigger: id }, 'a schedule started no run')
        return whyNoRun(error)
      },
    )
    await store.update(id, { last_error: failure })
    if (!durable) await stamp(db, due, now())
  }

  const claim = (due: Due): Promise<boolean> =>
    db.transaction().execute(async (tx) => {
      const claims = triggerStore(tx)
      if (!(await claims.claim(due.trigger.id, due.slot))) return false
      await claims.forgetClaims(due.trigger.id, due.slot - KEEP_CLAIMS_MS)
      if (durable) await stamp(tx, due, due.slot)
      return true
    })

  return {
    start(signal: AbortSignal) {
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
function stamp(db: Db, { trigger }: Due, firedAt: number) {
  const cron = cronOf(trigger)
  return triggerStore(db).stamp(trigger.id, {
    firedAt,
    missed: cron.count(trigger.next_fire_at, firedAt) - 1,
    next: { was: trigger.next_fire_at, is: cron.firstAfter(firedAt) },
  })
}

const cronOf = ({ config }: TriggerRow) => readCron(JSON.parse(config).cron)
