import type { Insertable } from 'kysely'
import { batchInsert } from '#kernel/db/batch-insert'
import { durably } from '#kernel/db/portable'
import type { Db, Tables } from '#kernel/db/tables'
import type { Logger } from '#kernel/log'
import { type RunEnd, runStore } from '../runs/store'
import { type IoRecord, type SpanRecord, traceInserts } from '../traces/store'
import { type Claim, isClaimable, isClaimed } from './claim'
import { untilDone } from './persistence'
import { durableStore, type Fence, type Standing, type StepRow } from './store'

/** Writes of one commit; on SQLite everybody else waits meanwhile. */
const MAX_BATCH = 64
/** So many wait that another commit beside those on their way is sooner done than the next of them. */
const WORTH_ANOTHER = 8
/** Rows that a statement carries: both databases bound its parameters. */
const ROWS_PER_STATEMENT = 50

/** What belongs together: all of it is written, or nothing. */
export interface Write {
  /** Whoever is no longer the owner writes nothing. Without one, anybody may. */
  fence?: Fence
  /** A new run. */
  start?: Start
  /** Makes somebody the owner of a run that has something to do. */
  claim?: Claim
  steps?: StepRow[]
  spans?: SpanRecord[]
  io?: IoRecord[]
  /** How the run ends; what is on record of it goes. */
  end?: RunEnd
  also?: (tx: Db) => Promise<void>
}

interface Start {
  run: Insertable<Tables['runs']>
  durable: Insertable<Tables['durable_runs']>
  /** False leaves the run out. */
  claim?: (tx: Db) => Promise<boolean>
  /** It was tried before, and may be stored. */
  isAgain?: boolean
}

interface Waiting {
  write: Write
  done: PromiseWithResolvers<boolean>
}

interface Deps {
  db: Db
  log: Logger
  now: () => number
  /** Commits on their way at once. They may hold writes of the same run: what must come later waits for what came first. */
  maxCommits: number
}

export type DurableWrites = ReturnType<typeof durableWrites>

/**
 * Everything that runs write while they go on. What comes in the same turn of the event loop, or while a commit is on
 * its way, shares the next commit, which waits for the disk once, and its statements. Each write resolves when it is
 * stored, with false where its owner has lost the run, or a claim came to nothing.
 */
export function durableWrites({ db, log, now, maxCommits }: Deps) {
  const stopped = new AbortController()
  const trace = traceInserts()
  const insertSteps = batchInsert<StepRow>(STEP_COLUMNS, (on, rows) =>
    // A commit whose answer was lost is written again.
    on
      .insertInto('run_steps')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing()),
  )
  const waiting: Waiting[] = []
  let drains = 0

  async function drain() {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH)
      await storeTogether(batch).catch(() => {
        for (const one of batch) void storeAlone(one)
      })
    }
    drains--
  }

  async function storeTogether(batch: Waiting[]) {
    const writes = batch.map(({ write }) => write)
    const stored = await durably(db, (tx) => writeAll(tx, writes))
    for (const { write, done } of batch) done.resolve(stored.has(write))
  }

  /** One that fails takes no other along, and is not given up while the process lives. */
  async function storeAlone(one: Waiting) {
    const { fence, start } = one.write
    if (start) start.isAgain = true
    const runId = fence?.runId ?? start?.run.id
    const trying = { signal: stopped.signal, log, runId, what: 'a run could not be written' }
    await untilDone(() => storeTogether([one]), trying).catch(one.done.reject)
  }

  /** Resolves with those that were written. */
  async function writeAll(tx: Db, all: Write[]): Promise<Set<Write>> {
    const standing = await standingOf(tx, all)
    const claimed = await claimAll(tx, all, standing)
    const writes = all.filter(
      ({ fence, claim }) =>
        (!fence || isHeld(fence, standing.get(fence.runId))) && (!claim || claimed.has(claim)),
    )
    const begun = await startAll(
      tx,
      writes.flatMap(({ start }) => start ?? []),
    )
    for (const rows of slices(writes.flatMap(({ steps = [] }) => steps))) await insertSteps(tx, rows)
    for (const rows of slices(latest(writes.flatMap(({ spans = [] }) => spans)))) await trace.spans(tx, rows)
    for (const rows of slices(writes.flatMap(({ io = [] }) => io))) await trace.io(tx, rows)
    for (const { also } of writes) await also?.(tx)
    await endAll(tx, writes)
    return new Set(writes.filter(({ start }) => !start || begun.has(start)))
  }

  async function standingOf(tx: Db, all: Write[]): Promise<ReadonlyMap<string, Standing>> {
    const ids = new Set(all.flatMap(({ fence, claim }) => fence?.runId ?? claim?.runId ?? []))
    const rows = ids.size > 0 ? await durableStore(tx).locked([...ids]) : []
    return new Map(rows.map((row) => [row.run_id, row]))
  }

  async function claimAll(
    tx: Db,
    all: Write[],
    standing: ReadonlyMap<string, Standing>,
  ): Promise<Set<Claim>> {
    const claims = all.flatMap(({ claim }) => claim ?? [])
    const already = claims.filter((claim) => isClaimed(standing.get(claim.runId), claim))
    const taken = new Set(already.map(({ runId }) => runId))
    const fresh = claims.filter((claim) => {
      // Of two who want the same run at once, the first who may have it: the other's lease may be none of this run.
      if (taken.has(claim.runId) || !isClaimable(standing.get(claim.runId), claim, now())) return false
      return taken.add(claim.runId)
    })
    for (const claim of fresh) claim.before = standing.get(claim.runId)
    if (fresh.length > 0) {
      await durableStore(tx).claim(fresh)
      await runStore(tx).markStreaming(
        fresh.map(({ runId }) => runId),
        now(),
      )
    }
    return new Set([...already, ...fresh])
  }

  async function startAll(tx: Db, asked: Start[]): Promise<ReadonlySet<Start>> {
    const starts: Start[] = []
    const stored: Start[] = []
    for (const start of asked) {
      // A commit whose answer was lost is tried again: what it claimed is claimed, and the run is there.
      if (start.isAgain && (await runStore(tx).find(start.run.id))) stored.push(start)
      else if (!start.claim || (await start.claim(tx))) starts.push(start)
    }
    if (starts.length > 0) {
      await runStore(tx).insert(starts.map(({ run }) => run))
      await durableStore(tx).insert(starts.map(({ durable }) => durable))
    }
    return new Set([...starts, ...stored])
  }

  async function endAll(tx: Db, writes: Write[]) {
    const ends = writes.flatMap(({ end, fence }) => (end && fence ? { id: fence.runId, ...end } : []))
    if (ends.length === 0) return
    await durableStore(tx).end(ends, now())
    await durableStore(tx).remove(ends.map(({ id }) => id))
  }

  return {
    add(write: Write): Promise<boolean> {
      const done = Promise.withResolvers<boolean>()
      waiting.push({ write, done })
      if (drains < maxCommits && waiting.length > drains * WORTH_ANOTHER) {
        drains++
        // What else this turn of the event loop brings goes along.
        setImmediate(() => void drain())
      }
      return done.promise
    },

    /** What still cannot be written is given up: a later owner does those steps again. */
    stop: () => stopped.abort(),
  }
}

const STEP_COLUMNS = ['run_id', 'key', 'output', 'output_ref', 'created_at'] as const

const isHeld = ({ epoch }: Fence, row: Standing | undefined): boolean =>
  row?.state === 'running' && row.epoch === epoch

/** A statement may hold each span once. */
const latest = (spans: SpanRecord[]): SpanRecord[] => [
  ...new Map(spans.map((span) => [span.id, span])).values(),
]

function* slices<T>(rows: T[]): Generator<T[]> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) yield rows.slice(at, at + ROWS_PER_STATEMENT)
}
