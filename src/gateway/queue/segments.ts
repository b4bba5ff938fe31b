import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

const FILE_MODE = 0o600
const SEQ_DIGITS = 16
const READ_BYTES = 64 * 1024
const NEWLINE = 10
/** What is read, and sent, at once. */
export const BATCH_LINES = 512
export const BATCH_BYTES = 1024 * 1024

export interface Segment {
  path: string
  /** Of its first line. */
  firstSeq: number
  bytes: number
}

const NAME = /^([0-9a-f]+)-(\d+)\.jsonl$/

export const segmentPath = (dir: string, epoch: string, firstSeq: number): string =>
  join(dir, `${epoch}-${String(firstSeq).padStart(SEQ_DIGITS, '0')}.jsonl`)

/** The segments of one epoch, oldest first. */
export function listSegments(dir: string, epoch: string): Segment[] {
  return readdirSync(dir)
    .map((name) => ({ name, match: NAME.exec(name) }))
    .filter(({ match }) => match?.[1] === epoch)
    .map(({ name, match }) => {
      const path = join(dir, name)
      return { path, firstSeq: Number(match![2]), bytes: statSync(path).size }
    })
    .sort((a, b) => a.firstSeq - b.firstSeq)
}

/** A segment that lines are added to; whatever happens, it ends with a whole line. */
export function openSegment(path: string) {
  const file = openSync(path, existsSync(path) ? 'r+' : 'w+', FILE_MODE)
  let bytes = fstatSync(file).size

  return {
    get bytes() {
      return bytes
    },

    /** @throws whatever the disk says; the line is not in the file then */
    append(line: Uint8Array) {
      let written = 0
      try {
        while (written < line.byteLength)
          written += writeSync(file, line, written, line.byteLength - written, bytes + written)
      } catch (error) {
        // Half a line would glue itself to the next one.
        if (written > 0) ftruncateSync(file, bytes)
        throw error
      }
      bytes += written
    },

    sync: () => fdatasyncSync(file),
    close: () => closeSync(file),
  }
}

/** Cuts off what stands behind the last newline: the line that a crash left half written. @returns the size left */
export function cutTornTail(path: string): number {
  const file = openSync(path, 'r+')
  try {
    const { size } = fstatSync(file)
    const end = lastNewline(file, size) + 1
    if (end < size) ftruncateSync(file, end)
    return end
  } finally {
    closeSync(file)
  }
}

/** Position of the last newline before `end`, or -1. */
function lastNewline(file: number, end: number): number {
  const buffer = Buffer.alloc(READ_BYTES)
  for (let stop = end; stop > 0; ) {
    const start = Math.max(0, stop - READ_BYTES)
    const read = readSync(file, buffer, 0, stop - start, start)
    const at = buffer.subarray(0, read).lastIndexOf(NEWLINE)
    if (at >= 0) return start + at
    stop = start
  }
  return -1
}

/**
 * Whole lines from `offset` on, until `maxLines` or `maxBytes` are reached; a line larger than that comes alone.
 * @returns the lines without their newlines, all their bytes with them, and where the next one starts
 */
export function readLines(path: string, offset: number, maxLines: number, maxBytes: number) {
  const file = openSync(path, 'r')
  try {
    const size = fstatSync(file).size
    const chunk = wholeLines(file, offset, size, maxBytes)
    const lines: Buffer[] = []
    let at = 0
    while (lines.length < maxLines) {
      const end = chunk.indexOf(NEWLINE, at)
      if (end < 0 || (end + 1 > maxBytes && lines.length > 0)) break
      lines.push(chunk.subarray(at, end))
      at = end + 1
    }
    return { lines, bytes: chunk.subarray(0, at), next: offset + at }
  } finally {
    closeSync(file)
  }
}

/** Bytes from `offset`: at most `maxBytes`, more only where the first line is longer. */
function wholeLines(file: number, offset: number, size: number, maxBytes: number): Buffer<ArrayBuffer> {
  for (let wanted = maxBytes; ; wanted *= 2) {
    const buffer = Buffer.alloc(Math.min(wanted, Math.max(0, size - offset)))
    const read = readSync(file, buffer, 0, buffer.byteLength, offset)
    const bytes = buffer.subarray(0, read)
    if (bytes.includes(NEWLINE) || offset + read >= size) return bytes
  }
}

export const removeSegment = (path: string) => rmSync(path, { force: true })
