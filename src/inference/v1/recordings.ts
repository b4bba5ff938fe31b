import type { Form } from './form'

/** For what every recording takes besides its length. */
const BASE_MS = 2 * 60_000
/** A large model on a slow processor takes several times as long as the recording lasts. */
const SLOWEST = 10
/** Of a recording that is compressed: less than speech has anywhere. */
const COMPRESSED_BYTES_PER_SECOND = 2_000
/** Timers end soon after. */
const LONGEST_MS = 24 * 60 * 60_000

/**
 * How long an engine may take for a recording. Some hang and stay healthy, so an answer has a time limit by the length
 * of the audio; an engine hears one at a time, so those ahead of it count too.
 */
export function recordingQueue(baseMs = BASE_MS) {
  const queued = new Map<string, number>()

  return {
    /** A place in the queue of a model, until it is disposed of. */
    enter(id: string, form: Form) {
      const lengthMs = Math.ceil(lengthOf(form) * 1000)
      const aheadMs = (queued.get(id) ?? 0) + lengthMs
      queued.set(id, aheadMs)
      return {
        withinMs: Math.min(baseMs + aheadMs * SLOWEST, LONGEST_MS),
        [Symbol.dispose]() {
          const rest = queued.get(id)! - lengthMs
          if (rest === 0) queued.delete(id)
          else queued.set(id, rest)
        },
      }
    },
  }
}

/** Seconds of audio in a form. */
function lengthOf({ parts }: Form): number {
  const bytes = parts.find(({ name, isFile }) => name === 'file' && isFile)?.content
  if (!bytes) return 0
  return bytes.byteLength / (wavBytesPerSecond(bytes) ?? COMPRESSED_BYTES_PER_SECOND)
}

/** `null` where it is no WAV, or one whose header is not where it is in nearly all. */
function wavBytesPerSecond(bytes: Buffer): number | null {
  if (bytes.byteLength < 36 || bytes.toString('latin1', 8, 16) !== 'WAVEfmt ') return null
  const [channels, rate, bits] = [bytes.readUInt16LE(22), bytes.readUInt32LE(24), bytes.readUInt16LE(34)]
  return (channels * rate * bits) / 8 || null
}
