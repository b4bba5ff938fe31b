import { tryParse } from '#kernel/json'
import type { GapRecord, RequestRecord } from '../recording/record'

const FIRST_BYTES = 16 * 1024
/** A character is at most so many bytes. */
const BYTES_OF_CHARACTER = 3
const NEWLINE = Buffer.from('\n')
/** The number comes first, so that it can be read without the rest. */
const START = Buffer.from('{"seq":')
const DIGIT_0 = 48
const COMMA = 44

/** Records as lines. A line's bytes are good until the next one is made: one buffer serves them all. */
export function lineWriter({ gateway_id, epoch }: { gateway_id: string; epoch: string }) {
  const whose = JSON.stringify({ gateway_id, epoch }).slice(1, -1)
  const encoder = new TextEncoder()
  let buffer = new Uint8Array(FIRST_BYTES)

  return {
    of(seq: number, record: RequestRecord | GapRecord): Uint8Array {
      const text = `{"seq":${seq},${whose},${JSON.stringify(record).slice(1)}\n`
      const most = text.length * BYTES_OF_CHARACTER
      if (most > buffer.byteLength) buffer = new Uint8Array(most)
      return buffer.subarray(0, encoder.encodeInto(text, buffer).written)
    },
  }
}

/** The number of a line; null for what is no record. */
export function seqOf(line: Uint8Array): number | null {
  const value = tryParse(Buffer.from(line).toString()) as { seq?: unknown } | undefined
  return typeof value?.seq === 'number' && Number.isSafeInteger(value.seq) ? value.seq : null
}

/** The number that a line starts with, where that is above `from`: such lines need not be parsed. */
export function knownSeqOf(line: Uint8Array, from: number): number | null {
  if (!START.every((byte, at) => line[at] === byte)) return null
  let seq = 0
  let at = START.length
  for (; line[at] !== COMMA; at++) {
    const digit = (line[at] ?? 0) - DIGIT_0
    if (!(digit >= 0 && digit <= 9)) return null
    seq = seq * 10 + digit
  }
  return seq > from ? seq : null
}

export const joined = (lines: Uint8Array[]): Buffer<ArrayBuffer> =>
  Buffer.concat(lines.flatMap((line) => [line, NEWLINE]))
