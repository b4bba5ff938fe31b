import { seqOf } from './line'
import { BATCH_BYTES, BATCH_LINES, readLines, type Segment } from './segments'

/** Where the lines of a segment start whose numbers are above `seq`. */
export function offsetBehind({ path, firstSeq }: Segment, seq: number): number {
  let known = firstSeq - 1
  for (let offset = 0; ; ) {
    const { lines, next } = readLines(path, offset, BATCH_LINES, BATCH_BYTES)
    if (lines.length === 0) return offset
    for (const line of lines) {
      known = seqOf(line) ?? known + 1
      if (known > seq) return offset
      offset += line.byteLength + 1
    }
    offset = next
  }
}

/** Of the last line, also of one that cannot be read. */
export function lastSeqIn({ path, firstSeq }: Segment): number {
  let last = firstSeq - 1
  for (let offset = 0; ; ) {
    const { lines, next } = readLines(path, offset, BATCH_LINES, BATCH_BYTES)
    if (lines.length === 0) return last
    // A line that cannot be read had a number too.
    for (const line of lines) last = seqOf(line) ?? last + 1
    offset = next
  }
}
