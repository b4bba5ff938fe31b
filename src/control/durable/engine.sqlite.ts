import type { Logger } from '#kernel/log'
import type { Activation, ActivationEnd, DurableEngine } from './engine'

/** Runs at work at the same time; those that wait for people take no place. */
const AT_ONCE = 64
/** Later ones are found by the sweep, which comes more often than that. */
const LONGEST_TIMER_MS = 60_000
const RETRY_MS = 5_000
/** There is one process, which activates a run once at a time. */
const LEASE = 'local'

/**
 * Activates runs in this one process, which the lock on the database file makes sure of (`lockSqlite`). What a dead
 * predecessor had at work is handed back before the start, so nothing waits for a lease.
 */
export function sqliteEngine({ log, now }: { log: Logger; now: () => number }): DurableEngine {
  const stopping = new AbortController()
  const queue = new Map<string, { takeover: boolean }>()
  const timers = new Map<string, ReturnType<typeof setTimeout>>()
  /** By run: whether it is to be activated once more after this time. */
  const active = new Map<string, { again: boolean; done: Promise<void> }>()
  let work: ((activation: Activation) => Promise<ActivationEnd>) | undefined
  let isStopped = false

  function advance() {
    while (work && !isStopped && active.size < AT_ONCE) {
      const [next] = queue
      if (!next) return
      const [runId, { takeover }] = next
      queue.delete(runId)
      const entry = { again: false, done: Promise.resolve() }
      active.set(runId, entry)
      entry.done = attempt(runId, takeover, work).then((end) => {
        active.delete(runId)
        after(runId, end, entry.again)
        advance()
      })
    }
  }

  async function attempt(runId: string, takeover: boolean, on: NonNullable<typeof work>) {
    try {
      return await on({ runId, lease: LEASE, takeover, signal: stopping.signal })
    } catch (error) {
      log.warn({ err: error, run: runId }, 'a durable run could not go on; it is tried again')
      return null
    }
  }

  /** Null: it could not be done, and stands as it stood. */
  function after(runId: string, end: ActivationEnd | null, again: boolean) {
    if (isStopped) return
    if (end === null) later(runId, RETRY_MS, true)
    else if (end.kind === 'waiting' && end.wakeAt !== null) wake(runId, end.wakeAt)
    else if (again || end.kind === 'released') wake(runId)
  }

  function later(runId: string, ms: number, takeover: boolean) {
    clearTimeout(timers.get(runId))
    const timer = setTimeout(() => {
      timers.delete(runId)
      enqueue(runId, takeover)
    }, ms)
    timer.unref()
    timers.set(runId, timer)
  }

  function enqueue(runId: string, takeover = false) {
    const running = active.get(runId)
    if (running) running.again = true
    else if (!queue.has(runId)) queue.set(runId, { takeover })
    advance()
  }

  function wake(runId: string, at?: number) {
    const ms = (at ?? 0) - now()
    if (ms <= 0) enqueue(runId)
    else if (ms <= LONGEST_TIMER_MS && !active.has(runId)) later(runId, ms, false)
  }

  return {
    async start(on) {
      work = on
      advance()
    },

    async stop({ drainMs }) {
      isStopped = true
      for (const timer of timers.values()) clearTimeout(timer)
      const all = Promise.all([...active.values()].map(({ done }) => done))
      const timer = setTimeout(() => stopping.abort(), drainMs)
      await all
      clearTimeout(timer)
    },

    async wake(runId, at) {
      wake(runId, at)
    },

    async wakeAll(runIds) {
      for (const runId of runIds) wake(runId)
    },

    async cancel(runId) {
      queue.delete(runId)
      clearTimeout(timers.get(runId))
      timers.delete(runId)
    },
  }
}
