import { useCallback, useEffect, useRef, useState } from 'react'
import { texts as chat } from '../texts/chat'

const texts = chat.voice

/** A recording nobody ends ends by itself. */
const LONGEST_MS = 10 * 60_000

interface Recorder {
  /** Since when it listens, in epoch milliseconds; null while it does not. */
  since: number | null
  /** @throws {Error} in words for a person */
  start: () => Promise<void>
  stop: () => void
  /** Stops, and forgets what was said. */
  discard: () => void
}

/** The microphone, as long as somebody speaks into it; `onSound` gets what was said. */
export function useRecorder(onSound: (sound: Blob) => void): Recorder {
  const [since, setSince] = useState<number | null>(null)
  const recording = useRef<MediaRecorder | null>(null)
  const latest = useRef(onSound)
  latest.current = onSound

  const end = useCallback((keep: boolean) => {
    const recorder = recording.current
    recording.current = null
    setSince(null)
    if (!recorder) return
    if (!keep) recorder.ondataavailable = null
    recorder.stop()
    for (const track of recorder.stream.getTracks()) track.stop()
  }, [])
  useEffect(() => () => end(false), [end])

  async function start() {
    if (recording.current) return
    const stream = await microphone()
    const recorder = new MediaRecorder(stream)
    recorder.ondataavailable = ({ data }) => data.size > 0 && latest.current(data)
    recorder.start()
    recording.current = recorder
    setSince(Date.now())
    setTimeout(() => recording.current === recorder && end(true), LONGEST_MS)
  }

  return { since, start, stop: () => end(true), discard: () => end(false) }
}

async function microphone(): Promise<MediaStream> {
  // Absent on pages that came over plain HTTP from another machine.
  if (!navigator.mediaDevices) {
    throw new Error(texts.insecure)
  }
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: true })
  } catch (error) {
    throw new Error(
      ['NotFoundError', 'NotSupportedError'].includes((error as Error).name)
        ? texts.noMicrophone
        : texts.denied,
    )
  }
}
