import type { Db } from '#kernel/db/tables'
import type { Logger } from '#kernel/log'
import type { TraceSink } from './record'
import { type IoRecord, type SpanRecord, traceInserts } from './store'
import { waitingRows } from './waiting'

/** Spans are visible to readers at most this late; runs shorter than it write each span once. */
const FLUSH_MS = 200
const MAX_SPANS = { maxRows: 20_000, maxChars: Number.POSITIVE_INFINITY }
const MAX_IO = { maxRows: 20_000, maxChars: 64 * 1024 * 1024 }
/** Rows that a statement carries: both databases bound its parameters. */
const ROWS_PER_STATEMENT = 50

interface Deps {
  db: Db
  log: Logger
  flushMs?: number
}

export type TraceWriter = ReturnType<typeof traceWriter>

/**
 * Writes spans and node I/O behind the runs, in batches of one transaction. A store that fails never fails a run: what
 * could not be written is tried again with the next batch.
 */
export function traceWriter({ db, log, flushMs = FLUSH_MS }: Deps) {
  // By id, so that a span that opened and closed since the last batch is one row.
  const spans = waitingRows<SpanRecord>(() => 1, MAX_SPANS)
  const records = waitingRows<IoRecord>(
    ({ inputs, outputs }) => (inputs?.length ?? 0) + (outputs?.length ?? 0),
    MAX_IO,
  )
  const insert = traceInserts()
  let timer: ReturnType<typeof setTimeout> | undefined
  let writing: Promise<void> | undefined

  function wake() {
    timer ??= setTimeout(() => void flush(), flushMs)
  }

  /** Writes what waits now; resolves when it is stored, or when its failure is logged. */
  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    while (writing) await writing
    if (spans.size + records.size === 0) return
    writing = writeBatch().finally(() => {
      writing = undefined
    })
    await writing
  }

  async function writeBatch() {
    const batch = { spans: spans.takeAll(), records: records.takeAll() }
    try {
      await db.transaction().execute(async (tx) => {
        for (const rows of slices(batch.spans)) await insert.spans(tx, rows)
        for (const rows of slices(batch.records)) await insert.io(tx, rows)
      })
    } catch (error) {
      log.warn({ err: error, spans: batch.spans.size }, 'a trace could not be stored; it is tried again')
      spans.putBack(batch.spans)
      records.putBack(batch.records)
      wake()
    }
    const dropped = spans.takeDropped() + records.takeDropped()
    if (dropped > 0) log.error({ dropped }, 'traces were lost: the store has failed or lagged for too long')
  }

  return {
    span(record) {
      spans.put(record.id, record)
      wake()
    },

    io(record) {
      records.put(record.id, record)
      wake()
    },

    flush,

    async stop() {
      await flush()
      clearTimeout(timer)
    },
  } satisfies TraceSink & Record<string, unknown>
}

function* slices<T>(batch: Map<string, T>): Generator<T[]> {
  const rows = [...batch.values()]
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) yield rows.slice(at, at + ROWS_PER_STATEMENT)
}
