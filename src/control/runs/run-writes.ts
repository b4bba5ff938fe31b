import type { Insertable } from 'kysely'
import { batchInsert } from '#kernel/db/batch-insert'
import type { Db, Tables } from '#kernel/db/tables'
import { type RunEnd, runStore } from './store'

/** Writes of one commit; a batch is short, for on SQLite everybody else waits meanwhile. */
const MAX_BATCH = 100

type NewRun = Insertable<Tables['runs']>

interface Write {
  row?: NewRun
  end?: { id: string; end: RunEnd; now: number }
  done: PromiseWithResolvers<boolean>
}

export type RunWrites = ReturnType<typeof runWrites>

/**
 * Beginnings and ends of runs. Those that come at the same time share one commit, which is what a write costs on
 * either database; each resolves when it is stored.
 */
export function runWrites({ db }: { db: Db }) {
  const insertRows = batchInsert<NewRun>(COLUMNS, (on, rows) => on.insertInto('runs').values(rows))
  let waiting: Write[] = []
  let draining = false

  function add(write: Omit<Write, 'done'>): Promise<boolean> {
    const done = Promise.withResolvers<boolean>()
    waiting.push({ ...write, done })
    if (!draining) {
      draining = true
      // What else this turn of the event loop brings goes along.
      setImmediate(() => void drain())
    }
    return done.promise
  }

  async function drain() {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH)
      waiting = waiting.slice(MAX_BATCH)
      await store(batch).catch((error) => storeEach(batch, error))
    }
    draining = false
  }

  async function store(batch: Write[]) {
    const first =
      batch.length === 1 ? await write(db, batch) : await db.transaction().execute((tx) => write(tx, batch))
    for (const [index, { done }] of batch.entries()) done.resolve(first[index]!)
  }

  /** A write that fails must not take along those that happened to come with it. */
  async function storeEach(batch: Write[], error: unknown) {
    if (batch.length === 1) return batch[0]!.done.reject(error)
    for (const one of batch) await store([one]).catch(one.done.reject)
  }

  /** Tells for each whether it was the first to be written. */
  async function write(on: Db, batch: Write[]): Promise<boolean[]> {
    const rows = batch.flatMap(({ row }) => row ?? [])
    if (rows.length > 0) await insertRows(on, rows)
    const ends = runStore(on)
    const first: boolean[] = []
    for (const { end } of batch) first.push(end ? await ends.end(end.id, end.end, end.now) : true)
    return first
  }

  return {
    // What is left out of a row would be written as null.
    insert: (row: NewRun) => add({ row: { graph_inline: 0, ...row } }),

    /** False when the run has ended already. */
    end: (id: string, end: RunEnd, now: number) => add({ end: { id, end, now } }),
  }
}

const COLUMNS = [
  'id',
  'status',
  'model',
  'params',
  'session_id',
  'graph_id',
  'graph_version',
  'content_hash',
  'graph_inline',
  'parent_run_id',
  'trigger_id',
  'user_id',
  'runtime',
  'capture_level',
  'instance_id',
  'created_at',
  'updated_at',
] as const
