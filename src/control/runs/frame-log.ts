import { encodeFrame } from '#kernel/http/sse'

/** A subscriber that fell behind gets the rest in pieces of about this many characters, each when the last is taken. */
const PIECE_CHARS = 64 * 1024

/** What a frame counts for that nobody has read yet. */
const UNREAD_CHARS = 500

/** Encoded frames to follow, several at a time where several are ready. */
export type FrameSource = (signal: AbortSignal) => AsyncIterable<string>

export type FrameLog = ReturnType<typeof frameLog>

/**
 * The frames of one stream, encoded once and kept, so that any number of subscribers can follow from any frame on,
 * also after the end. A frame's id is its place: the first has id 1.
 */
export function frameLog() {
  const frames: (string | (() => string))[] = []
  const waiting = new Set<() => void>()
  let chars = 0
  let ended = false
  let last = ''

  function wakeAll() {
    if (waiting.size === 0) return
    for (const wake of waiting) wake()
    waiting.clear()
  }

  function encoded(index: number): string {
    const frame = frames[index]!
    if (typeof frame === 'string') return frame
    const text = frame()
    frames[index] = text
    chars += text.length - UNREAD_CHARS
    return text
  }

  function piece(from: number) {
    let text = ''
    let next = from
    while (next < frames.length && text.length < PIECE_CHARS) text += encoded(next++)
    return { text, next }
  }

  return {
    /** What is kept, in characters. */
    get chars() {
      return chars
    },

    /**
     * `json` is the frame's data, encoded, or what encodes it once somebody reads. What comes after the end is dropped.
     */
    push(event: string, json: string | (() => string)) {
      if (ended) return
      const id = String(frames.length + 1)
      if (typeof json === 'string') {
        const frame = encodeFrame({ event, id, data: json })
        frames.push(frame)
        chars += frame.length
      } else {
        frames.push(() => encodeFrame({ event, id, data: json() }))
        chars += UNREAD_CHARS
      }
      wakeAll()
    },

    /** Ends the stream; `text` is sent to everybody after the last frame, and is none itself. */
    end(text = '') {
      if (ended) return
      ended = true
      last = text
      wakeAll()
    },

    /** Everything after frame `cursor`, to the end of the stream or until `signal` fires. */
    async *after(cursor: number, signal: AbortSignal): AsyncGenerator<string> {
      // A wait that no frame ends any more must end when the subscriber leaves.
      signal.addEventListener('abort', wakeAll, { once: true })
      let next = Math.min(cursor, frames.length)
      while (!signal.aborted) {
        if (next < frames.length) {
          const taken = piece(next)
          next = taken.next
          yield taken.text
        } else if (ended) {
          if (last) yield last
          return
        } else {
          await new Promise<void>((wake) => waiting.add(wake))
        }
      }
    },
  }
}
