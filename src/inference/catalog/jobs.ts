import { AppError } from '#kernel/errors'
import type { Logger } from '#kernel/log'
import type { Patience } from './fetch-file'
import { filesHere } from './files-here'
import { performJob } from './perform-job'
import { type Plan, totalBytes } from './plan'
import { rateMeter } from './rate'
import type { Job } from './schema'
import type { Source } from './source'
import type { JobRecord, JobStore } from './store'

/** More at once would only share the same line and disk. */
const MAX_RUNNING = 2
const MAX_WAITING = 1_000
/** Ended ones that are still shown. */
const MAX_ENDED = 100

const CANCELLED = new Error('cancelled')
const STOPPED = new Error('stopped')

type Order = Pick<JobRecord, 'logicalId' | 'repo' | 'engine' | 'variantId' | 'plan' | 'binding'>

interface Deps {
  store: JobStore
  source: Source
  modelDir: string
  patience: Patience
  /** Registers a model whose weights are all here. @throws {AppError} */
  register: (job: JobRecord, plan: Plan, weights: string) => Promise<void>
  now: () => number
  log: Logger
}

export type DownloadJobs = Awaited<ReturnType<typeof downloadJobs>>

interface Running {
  controller: AbortController
  ended: Promise<void>
  meter: ReturnType<typeof rateMeter>
}

/**
 * Downloads, a few at a time, in the order of their asking; two of the same repository one after the other. Each is kept
 * on disk with every change, so that one that was interrupted by a stop or a crash goes on at the next start:
 *
 * downloading → registering → done; from downloading also error, cancelled.
 */
export async function downloadJobs(deps: Deps) {
  const { store, source, modelDir, patience, register, now, log } = deps
  const jobs = new Map<string, JobRecord>(store.value().jobs.map((job) => [job.id, structuredClone(job)]))
  let { next } = store.value()
  const running = new Map<string, Running>()
  let isStopping = false

  /** What is in memory is the truth of this process; a disk that is full must not stop a job from ending. */
  async function save() {
    try {
      await store.save({ next, jobs: [...jobs.values()] })
    } catch (error) {
      log.warn(
        { err: error },
        'the list of downloads could not be written; it is tried again with its next change',
      )
    }
  }

  function present(job: JobRecord): Job {
    const { id, logicalId, repo, engine, variantId, status, doneBytes, error } = job
    const rate = running.get(id)?.meter.perSecond() ?? null
    const left = job.totalBytes === null ? null : job.totalBytes - doneBytes
    return {
      ...{ id, logicalId, repo, engine, variantId, status },
      queued: status === 'downloading' && !running.has(id),
      doneBytes,
      totalBytes: job.totalBytes,
      bytesPerSecond: rate,
      etaSeconds: left === null || !rate ? null : Math.ceil(left / rate),
      error,
    }
  }

  /** Starts what may start. */
  function fill() {
    if (isStopping) return
    const repos = new Set([...running.keys()].map((id) => jobs.get(id)!.repo))
    for (const job of jobs.values()) {
      if (running.size >= MAX_RUNNING) return
      if (!isActive(job) || running.has(job.id) || repos.has(job.repo)) continue
      repos.add(job.repo)
      const controller = new AbortController()
      // In the table before its first step, which may be to end.
      const entry: Running = { controller, ended: Promise.resolve(), meter: rateMeter(now) }
      running.set(job.id, entry)
      entry.ended = run(job, entry)
        // Its files could not be tidied up: that must not keep the next one from its turn.
        .catch((error: unknown) =>
          log.error({ err: error, job: job.id }, 'a download could not be ended cleanly'),
        )
        .finally(() => {
          running.delete(job.id)
          fill()
        })
    }
  }

  async function run(job: JobRecord, { controller: { signal }, meter }: Running): Promise<void> {
    const reached = (bytes: number) => {
      job.doneBytes = bytes
      meter.reached(bytes)
    }
    try {
      await performJob(job, { source, modelDir, patience, register, save, reached, signal })
      log.info({ job: job.id, model: job.logicalId, repo: job.repo }, 'a model was downloaded and registered')
    } catch (error) {
      if (signal.reason === STOPPED) return
      await fail(job, error, signal.reason === CANCELLED)
    }
    await forgetOld()
    await save()
  }

  async function fail(job: JobRecord, error: unknown, isCancelled: boolean) {
    if (isCancelled) {
      if (job.plan) await filesHere(modelDir, job.plan).discard()
      Object.assign(job, { status: 'cancelled', plan: null, binding: null })
      return
    }
    if (!(error instanceof AppError)) log.warn({ err: error, job: job.id }, 'a download failed')
    Object.assign(job, { status: 'error', error: sentenceOf(error, modelDir) })
  }

  /** The oldest of those that ended, with what they left unfinished. */
  async function forgetOld() {
    const ended = [...jobs.values()].filter((job) => !isActive(job))
    for (const job of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) {
      await discardFailed(job)
      jobs.delete(job.id)
    }
  }

  /** Bytes of a failed one are kept for the next try, unless nobody wants them. */
  async function discardFailed(job: JobRecord) {
    const isShared = [...jobs.values()].some((other) => isActive(other) && other.repo === job.repo)
    if (job.plan === null || isShared) return
    await filesHere(modelDir, job.plan).discard()
    job.plan = null
  }

  function found(id: string): JobRecord {
    const job = jobs.get(id)
    if (job) return job
    throw new AppError(
      'download_not_found',
      'There is no such download. GET /admin/catalog/downloads lists them.',
    )
  }

  for (const job of jobs.values()) {
    if (isActive(job) && job.plan) job.doneBytes = await filesHere(modelDir, job.plan).doneBytes()
  }

  return {
    /** Goes on with what an earlier process began. */
    start: fill,
    /** The newest first. */
    list: (): Job[] => [...jobs.values()].reverse().map(present),
    get: (id: string): Job => present(found(id)),
    isPending: (logicalId: string): boolean =>
      [...jobs.values()].some((job) => isActive(job) && job.logicalId === logicalId),
    hasRoom: (): boolean => [...jobs.values()].filter(isActive).length < MAX_WAITING,
    /** Bytes that all downloads together still need. */
    bytesLeft: (): number =>
      [...jobs.values()]
        .filter(isActive)
        .reduce((sum, { totalBytes: total, doneBytes }) => sum + Math.max(0, (total ?? 0) - doneBytes), 0),

    async add(order: Order): Promise<Job> {
      const job: JobRecord = {
        ...structuredClone(order),
        id: `dl-${next++}`,
        status: 'downloading',
        doneBytes: 0,
        totalBytes: order.plan === null ? null : totalBytes(order.plan),
        error: null,
      }
      jobs.set(job.id, job)
      await save()
      fill()
      return present(job)
    },

    /** Ends it and removes what it brought; one that is over stays as it is, but for bytes that it left unfinished. */
    async cancel(id: string): Promise<Job> {
      const job = found(id)
      const current = running.get(id)
      if (current && job.status === 'downloading') {
        current.controller.abort(CANCELLED)
        await current.ended
      } else if (job.status === 'downloading') {
        await fail(job, CANCELLED, true)
        await save()
      } else if (job.status === 'error') {
        await discardFailed(job)
        await save()
      }
      return present(job)
    },

    async stop() {
      isStopping = true
      const all = [...running.values()]
      for (const { controller } of all) controller.abort(STOPPED)
      await Promise.all(all.map(({ ended }) => ended))
      if (all.length > 0) await save()
    },
  }
}

const isActive = ({ status }: JobRecord): boolean => status === 'downloading' || status === 'registering'

/** What a person is told of a job that failed; what is no failure of ours to name keeps its code only. */
function sentenceOf(error: unknown, modelDir: string): string {
  if (error instanceof AppError) return error.message
  const { code } = error as { code?: string }
  if (code !== undefined && ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code)) {
    return `The disk of ${modelDir} is full. Nothing was registered. Free some space and install it again: it goes on where it stopped.`
  }
  return `It could not be written to ${modelDir} (${code ?? 'unknown failure'}). Nothing was registered.`
}
