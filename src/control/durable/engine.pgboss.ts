import { setTimeout as sleep } from 'node:timers/promises'
import { type JobWithMetadata, PgBoss } from 'pg-boss'
import type { Logger } from '#kernel/log'
import { every } from '#kernel/loop'
import { together } from '#kernel/together'
import type { Activation, ActivationEnd, DurableEngine } from './engine'

const QUEUE = 'durable-runs'
const SCHEMA = 'pgboss'
/** Runs at work at the same time in one process; those that wait for people take no place. */
const AT_ONCE = 64
const FETCHED_AT_ONCE = 32
const HINTS_AT_ONCE = 200
const SETTLED_AT_ONCE = 64
const POLL_MS = 200
/** An owner that did not say for so long that it lives is dead: the least that pg-boss takes. */
const HEARTBEAT_SECONDS = 10
const TOUCH_MS = 3_000
/** How often the dead are looked for. */
const SUPERVISE_SECONDS = 2
/** Its own connections: fetching, touching and completing, whatever the runs do. */
const POOL = 4
/** The job may be as long as a run is at work. What hangs is ended by the time limit of its step. */
const EXPIRE_SECONDS = 23 * 60 * 60
const FOREVER_RETRIES = 1_000_000
/** Timers further ahead are the sweep's. None is a job: jobs are deleted when they are old, and a queued one that is not
 * due would stand in the way of one that is. */
const LONGEST_TIMER_MS = 60_000
const DAY_SECONDS = 24 * 60 * 60
const AFTER_FAILURE_MS = 1_000

type Job = JobWithMetadata<{ runId: string }>

/**
 * Activates runs over any number of processes, by a queue in the same Postgres. The queue has the one lease, our
 * journal the one fence: a job that is done twice finds its run claimed.
 *
 * The policy `short` keeps at most one job of a run waiting while another may be active: the wake that comes while the
 * run is at work is not lost. A retried job is one whose owner died.
 */
export function pgBossEngine({
  address,
  log,
  now,
}: {
  address: string
  log: Logger
  now: () => number
}): DurableEngine {
  const boss = new PgBoss({
    connectionString: address,
    schema: SCHEMA,
    max: POOL,
    application_name: 'tycho',
    schedule: false,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
  })
  // Without a listener it would end the process; the database may be away for a while.
  boss.on('error', (error) => log.warn({ err: error }, 'the queue of durable runs has a problem'))
  const stopping = new AbortController()
  const fetching = new AbortController()
  const active = new Map<string, { job: Job; done: Promise<void> }>()
  const timers = new Map<string, ReturnType<typeof setTimeout>>()
  let fetched = Promise.resolve()
  let kick = () => {}
  const complete = together(SETTLED_AT_ONCE, async (jobs: Job[]) => {
    await boss.complete(
      QUEUE,
      jobs.map(({ id, retryCount }) => ({ id, retryCount })),
    )
    return jobs
  })
  const hint = together(HINTS_AT_ONCE, async (runIds: string[]) => {
    await enqueue(runIds)
    return runIds
  })

  async function begin(job: Job, on: (activation: Activation) => Promise<ActivationEnd>) {
    const { runId } = job.data
    try {
      const takeover = job.retryCount > 0
      const end = await on({ runId, lease: job.id, takeover, signal: stopping.signal })
      await complete(job)
      if (end.kind === 'waiting' && end.wakeAt !== null) await wake(runId, end.wakeAt)
      if (end.kind === 'released') await wake(runId)
    } catch (error) {
      // The job stays active without a heartbeat, so that somebody takes the run over.
      log.warn({ err: error, run: runId }, 'a durable run could not go on; it is tried again')
    }
  }

  async function fetchLoop(on: (activation: Activation) => Promise<ActivationEnd>) {
    while (!fetching.signal.aborted) {
      const room = Math.min(FETCHED_AT_ONCE, AT_ONCE - active.size)
      const jobs = room > 0 ? await fetchJobs(room) : []
      for (const job of jobs) {
        const done = begin(job, on).finally(() => {
          // It may have been fetched again meanwhile, as one whose owner died.
          if (active.get(job.id)?.job === job) active.delete(job.id)
          if (active.size === AT_ONCE - FETCHED_AT_ONCE) kick()
        })
        active.set(job.id, { job, done })
      }
      if (jobs.length === 0) await pause(POLL_MS)
    }
  }

  async function fetchJobs(batchSize: number): Promise<Job[]> {
    try {
      return await boss.fetch<{ runId: string }>(QUEUE, { batchSize, includeMetadata: true })
    } catch (error) {
      if (!fetching.signal.aborted) log.warn({ err: error }, 'the queue of durable runs cannot be read')
      await pause(AFTER_FAILURE_MS)
      return []
    }
  }

  function pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    kick = () => {
      clearTimeout(timer)
      resolve()
    }
    return promise
  }

  async function touch() {
    const ids = [...active.values()].map(({ job }) => ({ id: job.id, retryCount: job.retryCount }))
    if (ids.length > 0) await boss.touch(QUEUE, ids)
  }

  async function wake(runId: string, at?: number) {
    const laterMs = (at ?? 0) - now()
    if (laterMs > 0) return later(runId, laterMs)
    await hint(runId)
  }

  function later(runId: string, ms: number) {
    if (ms > LONGEST_TIMER_MS) return
    clearTimeout(timers.get(runId))
    const timer = setTimeout(() => {
      timers.delete(runId)
      hint(runId).catch((error) => log.warn({ err: error, run: runId }, 'left to the sweep'))
    }, ms)
    timer.unref()
    timers.set(runId, timer)
  }

  /** One that is queued already stays as it is. */
  async function enqueue(runIds: string[]) {
    if (runIds.length === 0) return
    await boss.insert(
      QUEUE,
      runIds.map((runId) => ({ data: { runId }, singletonKey: runId })),
    )
    kick()
  }

  return {
    async start(on) {
      await boss.start()
      await boss.createQueue(QUEUE, {
        policy: 'short',
        heartbeatSeconds: HEARTBEAT_SECONDS,
        expireInSeconds: EXPIRE_SECONDS,
        retryLimit: FOREVER_RETRIES,
        retryDelay: 0,
        retentionSeconds: DAY_SECONDS,
        deleteAfterSeconds: 60,
      })
      every(TOUCH_MS, 'heartbeat of durable runs', touch, log, stopping.signal)
      fetched = fetchLoop(on)
    },

    async stop({ drainMs }) {
      fetching.abort()
      for (const timer of timers.values()) clearTimeout(timer)
      kick()
      // What it still brings is handed back like all else.
      await fetched
      const drained = Promise.all([...active.values()].map(({ done }) => done))
      const overdue = new AbortController()
      await Promise.race([drained, sleep(drainMs, undefined, { signal: overdue.signal }).catch(() => {})])
      overdue.abort()
      stopping.abort()
      await drained
      await boss.stop({ graceful: false })
    },

    wake,
    wakeAll: enqueue,

    async cancel() {
      // Whoever fetches a job of a run that has ended finds nothing to do.
    },
  }
}
