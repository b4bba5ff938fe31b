import { Check, Mic, Trash2 } from 'lucide-react'
import { IconButton } from '../kit/button'
import { useNow } from '../kit/use-now'
import { texts as chat } from '../texts/chat'
import type { useRecorder } from './use-recorder'

const texts = chat.voice

type Recorder = ReturnType<typeof useRecorder>

interface VoiceProps {
  recorder: Recorder
  /** What was said is being made something of. */
  busy: boolean
  onError: (error: unknown) => void
}

export const VoiceButton = ({ recorder, busy, onError }: VoiceProps) => (
  <IconButton
    label={texts.record}
    icon={<Mic aria-hidden className="size-4" />}
    pending={busy}
    onClick={() => void recorder.start().catch(onError)}
  />
)

/** In place of the field while somebody speaks. */
export function Recording({ recorder }: { recorder: Recorder }) {
  const seconds = Math.floor((useNow(true, 250) - recorder.since!) / 1000)
  const time = `${Math.floor(seconds / 60)}:${String(Math.max(0, seconds % 60)).padStart(2, '0')}`
  return (
    <div className="flex items-center gap-2 px-4 py-2 text-sm">
      <span aria-hidden className="size-2 animate-pulse rounded-full bg-bad-dot" />
      <span role="timer" className="flex-1">
        {texts.listening(time)}
      </span>
      <IconButton
        label={texts.discard}
        icon={<Trash2 aria-hidden className="size-4" />}
        onClick={recorder.discard}
      />
      <IconButton
        label={texts.done}
        variant="primary"
        icon={<Check aria-hidden className="size-4" />}
        onClick={recorder.stop}
      />
    </div>
  )
}
