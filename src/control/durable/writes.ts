import { setTimeout as sleep } from 'node:timers/promises'
import { batchInsert } from '#kernel/db/batch-insert'
import { durably } from '#kernel/db/portable'
import type { Db } from '#kernel/db/tables'
import type { Logger } from '#kernel/log'
import { type IoRecord, type SpanRecord, traceInserts } from '../traces/store'
import { durableStore, type Fence, type StepRow } from './store'

/** Writes of one commit; on SQLite everybody else waits meanwhile. */
const MAX_BATCH = 50
/** Rows that a statement carries: both databases bound its parameters. */
const ROWS_PER_STATEMENT = 50
/** What cannot be written now is tried again, for nothing is done twice as long as its result is still in memory. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/** What belongs together: all of it is written, or nothing. */
export interface Write {
  /** Whoever is no longer the owner writes nothing. Without one, anybody may. */
  fence?: Fence
  steps?: StepRow[]
  spans?: SpanRecord[]
  io?: IoRecord[]
  also?: (tx: Db) => Promise<void>
}

interface Waiting {
  write: Write
  done: PromiseWithResolvers<boolean>
}

export type DurableWrites = ReturnType<typeof durableWrites>

/**
 * Everything that runs write while they go on. What comes in the same turn of the event loop shares one commit, which
 * waits for the disk once; each write resolves when it is stored, with false where its owner has lost the run.
 */
export function durableWrites({ db, log }: { db: Db; log: Logger }) {
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
  let draining = false

  async function drain() {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH)
      await storeTogether(batch).catch(() => {
        for (const one of batch) void storeAlone(one)
      })
    }
    draining = false
  }

  async function storeTogether(batch: Waiting[]) {
    const stored = await durably(db, (tx) => writeAll(tx, batch))
    for (const [index, { done }] of batch.entries()) done.resolve(stored[index]!)
  }

  /** One that fails takes no other along, and is not given up while the process lives. */
  async function storeAlone(one: Waiting) {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return await storeTogether([one])
      } catch (error) {
        if (stopped.signal.aborted) return one.done.reject(error)
        log.warn({ err: error, run: one.write.fence?.runId }, 'a run could not be written; it is tried again')
        await sleep(pauseMs, undefined, { signal: stopped.signal }).catch(() => {})
      }
    }
  }

  async function writeAll(tx: Db, batch: Waiting[]): Promise<boolean[]> {
    const fences = batch.flatMap(({ write }) => write.fence ?? [])
    const held = fences.length > 0 ? await durableStore(tx).held(fences) : new Set<string>()
    const mayWrite = ({ fence }: Write) => !fence || held.has(`${fence.runId}:${fence.epoch}`)
    const writes = batch.map(({ write }) => write).filter(mayWrite)
    for (const rows of slices(writes.flatMap(({ steps = [] }) => steps))) await insertSteps(tx, rows)
    for (const rows of slices(latest(writes.flatMap(({ spans = [] }) => spans)))) await trace.spans(tx, rows)
    for (const rows of slices(writes.flatMap(({ io = [] }) => io))) await trace.io(tx, rows)
    for (const { also } of writes) await also?.(tx)
    return batch.map(({ write }) => mayWrite(write))
  }

  return {
    add(write: Write): Promise<boolean> {
      const done = Promise.withResolvers<boolean>()
      waiting.push({ write, done })
      if (!draining) {
        draining = true
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

/** A statement may hold each span once. */
const latest = (spans: SpanRecord[]): SpanRecord[] => [
  ...new Map(spans.map((span) => [span.id, span])).values(),
]

function* slices<T>(rows: T[]): Generator<T[]> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) yield rows.slice(at, at + ROWS_PER_STATEMENT)
}
