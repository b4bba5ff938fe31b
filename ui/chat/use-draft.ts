import { type RefObject, useState } from 'react'
import { transcribe } from '../registries/trial/calls'
import { texts as chat } from '../texts/chat'
import { type Attachment, attach, messageOf, soundOf, type Takes } from './attachments'

const texts = chat.voice

/** A recording that takes longer to be written down is given up. */
const TRANSCRIBING_MS = 5 * 60_000

interface Options {
  field: RefObject<HTMLTextAreaElement | null>
  takes: Takes
  /** The model that writes down what is said, where there is one. */
  transcriber: string | null
}

/** The message as far as it is written: its words, what is attached, and what went wrong with that. */
export function useDraft({ field, takes, transcriber }: Options) {
  const [text, setText] = useState('')
  const [attached, setAttached] = useState<Attachment | null>(null)
  const [problem, setProblem] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)

  async function work(task: () => Promise<void>) {
    setProblem(null)
    setBusy(true)
    try {
      await task()
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
      field.current?.focus()
    }
  }

  const hear = (sound: Blob) =>
    work(async () => {
      const recording = await soundOf(sound)
      if (takes.file === 'audio') return setAttached(await attach(recording, takes))
      if (transcriber === null) throw new Error(texts.noTranscriber)
      const words = await transcribe(transcriber, recording, AbortSignal.timeout(TRANSCRIBING_MS))
      if (words.trim() === '') throw new Error(texts.notUnderstood)
      setText((before) => [before.trim(), words.trim()].filter(Boolean).join(' '))
    })

  return {
    text,
    setText,
    attached,
    detach: () => setAttached(null),
    problem,
    setProblem,
    busy,
    message: messageOf(text, attached, takes),
    hear,
    take: (file: File) =>
      file.type.startsWith('audio/') ? hear(file) : work(async () => setAttached(await attach(file, takes))),
    clear() {
      setText('')
      setAttached(null)
      setProblem(null)
    },
  }
}
