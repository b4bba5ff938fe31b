import type { TraceSink } from '../traces/record'
import type { IoRecord, SpanRecord } from '../traces/store'

/** How late a span may be in the database when no step is recorded meanwhile. */
const FLUSH_MS = 200
/** Beyond it the oldest give way: tracing must never take the memory that runs need. */
const MAX_ROWS = 5_000

interface Rows {
  spans: SpanRecord[]
  io: IoRecord[]
}

/**
 * Spans and node I/O of one activation until they are written: with the next step that is recorded, so that both are
 * there or neither, or after a while. What an earlier activation has closed is not told again.
 */
export function traceBuffer(
  closed: ReadonlySet<string>,
  flush: (rows: Rows) => void,
  beside: (sink: TraceSink) => TraceSink = (sink) => sink,
) {
  let spans = new Map<string, SpanRecord>()
  let io: IoRecord[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let muted = false

  function wake() {
    timer ??= setTimeout(() => flush(take()), FLUSH_MS)
  }

  function take(): Rows {
    const rows = takeClosed()
    const open = [...spans.values()]
    spans = new Map()
    clearTimeout(timer)
    timer = undefined
    return { spans: [...rows.spans, ...open].slice(-MAX_ROWS), io: rows.io }
  }

  /** Leaves the spans that are still open for a while longer: mostly they close soon, and are then written once. */
  function takeClosed(): Rows {
    const closed = [...spans.values()].filter(({ status }) => status !== 'running')
    const rows = { spans: closed.slice(-MAX_ROWS), io: io.slice(-MAX_ROWS) }
    for (const { id } of closed) spans.delete(id)
    io = []
    return rows
  }

  const stored = beside({
    span(record) {
      spans.set(record.id, record)
      wake()
    },
    io(record) {
      io.push(record)
      wake()
    },
  })
  const sink: TraceSink = {
    span(record) {
      if (!muted && !closed.has(record.id)) stored.span(record)
    },
    io(record) {
      if (!muted && !closed.has(`${record.run_id}:${record.node_id}`)) stored.io(record)
    },
  }

  return {
    sink,
    take,
    takeClosed,
    /** What is told from now on is not what happened. */
    mute() {
      muted = true
      clearTimeout(timer)
    },
  }
}
