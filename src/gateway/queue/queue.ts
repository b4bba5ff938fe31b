import { join } from 'node:path'
import { tryParse } from '#kernel/json'
import type { Logger } from '#kernel/log'
import type { GapRecord, RequestRecord } from '../recording/record'
import { ownFolder, type StateFiles } from '../state-files'
import { openGap } from './gap'
import { ackOf, identityOf, saveAck } from './identity'
import { joined, knownSeqOf, lineWriter, seqOf } from './line'
import { lastSeqIn, offsetBehind } from './numbers'
import {
  BATCH_BYTES,
  BATCH_LINES,
  cutTornTail,
  listSegments,
  openSegment,
  readLines,
  removeSegment,
  type Segment,
  segmentPath,
} from './segments'

const SEGMENT_BYTES = 8 * 1024 * 1024
/** A power cut costs at most this much; a crash of the process nothing. */
const SYNC_MS = 1_000
/** From this share of the cap on, records come without content. */
const CONTENT_SHARE = 0.5
/** A queue that was full takes records again from here on down, so that one hole is one hole. */
const RESUME_SHARE = 0.9
/** Room that is kept for the line that tells of a hole. */
const GAP_BYTES = 1_024

export interface Batch {
  /** Ends of lines are newlines; as they were written. */
  body: Uint8Array<ArrayBuffer>
  /** Of its last line. */
  lastSeq: number
  lines: number
  /** Lines that are none, met on the way. */
  bad: readonly Uint8Array[]
  end: Cursor
}

interface Cursor {
  segment: Segment
  offset: number
}

interface Deps {
  state: StateFiles
  maxBytes: number
  log: Logger
  now: () => number
  /** Tests shorten it. */
  segmentBytes?: number
}

export type Queue = ReturnType<typeof openQueue>

/**
 * Undelivered records on disk (design C4): one line each, written at once and synced within a second, numbered without
 * a gap within an epoch. Reading follows at its own pace; what was acknowledged is deleted segment by segment.
 */
export function openQueue({ state, maxBytes, log, now, segmentBytes = SEGMENT_BYTES }: Deps) {
  const dir = join(state.dir, 'queue')
  const badDir = join(dir, 'bad')
  ownFolder(dir)
  ownFolder(badDir)
  const identity = identityOf(state, dir)
  const segments = listSegments(dir, identity.epoch)
  const tail = segments.at(-1)
  if (tail) tail.bytes = cutTornTail(tail.path)
  let acked = ackOf(dir, identity.epoch)
  let lastSeq = Math.max(acked, tail ? lastSeqIn(tail) : 0)
  /** Lines behind it were written by this very process, and need no second look. */
  const foundSeq = lastSeq
  const line = lineWriter(identity)
  let total = segments.reduce((sum, { bytes }) => sum + bytes, 0)
  let syncedSeq = lastSeq
  let bad = 0
  const gap = openGap(state, now)
  let complained = false
  let cursor: Cursor | null = null
  let open: { segment: Segment; file: ReturnType<typeof openSegment> } | null = null
  let wake = () => {}
  const timer = setInterval(sync, SYNC_MS)
  timer.unref()

  /** The open segment with room for another line; a new one is named after the line's number. */
  function current(): NonNullable<typeof open> {
    if (open && open.segment.bytes < segmentBytes) return open
    if (open) {
      open.file.sync()
      open.file.close()
      open = null
    }
    const last = segments.at(-1)
    const reuse = last && last.bytes < segmentBytes ? last : null
    const segment = reuse ?? {
      path: segmentPath(dir, identity.epoch, lastSeq + 1),
      firstSeq: lastSeq + 1,
      bytes: 0,
    }
    open = { segment, file: openSegment(segment.path) }
    if (!reuse) segments.push(segment)
    return open
  }

  function write(record: RequestRecord | GapRecord, room: number) {
    const seq = lastSeq + 1
    const bytes = line.of(seq, record)
    if (total + bytes.byteLength > room) return false
    const { segment, file } = current()
    file.append(bytes)
    segment.bytes += bytes.byteLength
    total += bytes.byteLength
    lastSeq = seq
    wake()
    return true
  }

  /** Tells of the hole before the record that ends it, so that the order on disk is the order of events. */
  const closeGap = () => gap.close((line) => write(line, maxBytes))

  function complain(error: unknown) {
    if (!complained)
      log.error({ err: error }, 'records cannot be written; requests are forwarded all the same')
    complained = true
  }

  function sync() {
    try {
      if (open && syncedSeq < lastSeq) open.file.sync()
      syncedSeq = lastSeq
      gap.save()
    } catch (error) {
      complain(error)
    }
  }

  /** Where the first line stands that was not acknowledged. */
  function position(): Cursor | null {
    if (cursor) return cursor
    const segment = segments.findLast(({ firstSeq }) => firstSeq <= acked + 1) ?? segments[0]
    if (segment) cursor = { segment, offset: offsetBehind(segment, acked) }
    return cursor
  }

  /** Where to go on when what was read at `at`, up to `end`, held no record; null behind the last line. */
  function onward(at: Cursor, end: Cursor): Cursor | null {
    if (end.offset > at.offset) return end
    const following = segments[segments.indexOf(at.segment) + 1]
    return following ? { segment: following, offset: 0 } : null
  }

  /** Records, and what is none; `last` is the number of the last record. */
  function sortedOut(lines: Uint8Array[]) {
    const good: Uint8Array[] = []
    const bad: Uint8Array[] = []
    let last: number | null = null
    for (const line of lines) {
      const seq = knownSeqOf(line, foundSeq) ?? seqOf(line)
      if (seq === null) bad.push(line)
      else good.push(line)
      last = seq ?? last
    }
    return { good, bad, last }
  }

  function putAside(line: Uint8Array) {
    bad++
    try {
      const file = openSegment(join(badDir, `${identity.epoch}.jsonl`))
      file.append(Buffer.concat([line, Buffer.from('\n')]))
      file.close()
    } catch (error) {
      complain(error)
    }
  }

  return {
    identity,

    get stats() {
      return {
        records: Math.max(0, lastSeq - acked),
        bytes: total,
        dropped: gap.dropped,
        bad,
      }
    },

    /** When the oldest undelivered record was made, epoch milliseconds. */
    get oldestAt(): number | null {
      const at = lastSeq > acked ? position() : null
      if (!at) return null
      const [line] = readLines(at.segment.path, at.offset, 1, BATCH_BYTES).lines
      const record =
        line && (tryParse(line.toString()) as { time?: { at: number }; from?: number } | undefined)
      return record?.time?.at ?? record?.from ?? null
    },

    get keepsContent() {
      return total < maxBytes * CONTENT_SHARE
    },

    /** Never throws: a record that cannot be written is counted, and a line will tell of the hole. */
    add(record: RequestRecord) {
      try {
        if (gap.isOpen && total > maxBytes * RESUME_SHARE) return gap.drop()
        closeGap()
        if (gap.isOpen || !write(record, maxBytes - GAP_BYTES)) gap.drop()
        else complained = false
      } catch (error) {
        complain(error)
        gap.drop()
      }
    },

    /** The oldest lines that were not acknowledged; only such that a power cut cannot take back. */
    next(): Batch | null {
      if (lastSeq === acked) return null
      sync()
      for (let at = position(); at; ) {
        const { batch, bad: unreadable, end } = batchAt(at)
        if (batch) return batch
        unreadable.forEach(putAside)
        at = onward(at, end)
        cursor = at ?? cursor
      }
      // Nothing was left but lines that cannot be read.
      acknowledge(lastSeq)
      return null
    },

    /** The control plane has a batch; `rejected` are lines of it that it has no use for. */
    ack({ lastSeq: seq, bad: unreadable, end }: Batch, rejected: readonly number[]) {
      unreadable.forEach(putAside)
      bad += rejected.length
      cursor = end
      acknowledge(seq)
    },

    /** Called when there is something new to deliver. */
    onAdded(call: () => void) {
      wake = call
    },

    close() {
      clearInterval(timer)
      try {
        closeGap()
      } catch (error) {
        complain(error)
      }
      sync()
      open?.file.close()
      open = null
    },
  }

  function batchAt({ segment, offset }: Cursor) {
    const { lines, next, bytes } = readLines(segment.path, offset, BATCH_LINES, BATCH_BYTES)
    const end = { segment, offset: next }
    const { good, bad, last } = sortedOut(lines)
    const body = bad.length === 0 ? bytes : joined(good)
    const batch: Batch | null = last === null ? null : { body, lastSeq: last, lines: good.length, bad, end }
    return { batch, bad, end }
  }

  function acknowledge(seq: number) {
    acked = Math.max(acked, seq)
    saveAck(dir, identity.epoch, acked)
    // A segment is done with when the next one starts behind what was acknowledged.
    while (segments[1] && segments[1].firstSeq <= acked + 1) remove(segments.shift()!)
    if (acked === lastSeq && segments.length > 0) {
      open?.file.close()
      open = null
      for (const segment of segments.splice(0)) remove(segment)
    }
  }

  function remove(segment: Segment) {
    removeSegment(segment.path)
    total -= segment.bytes
    if (cursor?.segment === segment) cursor = null
  }
}
