import { Check, Mic, Trash2 } from 'lucide-react'
import { IconButton } from '../kit/button'
import { useNow } from '../kit/use-now'
import type { useRecorder } from './use-recorder'

type Recorder = ReturnType<typeof useRecorder>

interface VoiceProps {
  recorder: Recorder
  /** What was said is being made something of. */
  busy: boolean
  onError: (error: unknown) => void
}

export const VoiceButton = ({ recorder, busy, onError }: VoiceProps) => (
  <IconButton
    label="Record your voice"
    icon={<Mic aria-hidden className="size-4" />}
    pending={busy}
    onClick={() => void recorder.start().catch(onError)}
  />
)

/** In place of the field while somebody speaks. */
export function Recording({ recorder }: { recorder: Recorder }) {
  const seconds = Math.floor((useNow(true, 250) - recorder.since!) / 1000)
  return (
    <div className="flex items-center gap-2 px-4 py-2 text-sm">
      <span aria-hidden className="size-2 animate-pulse rounded-full bg-bad-dot" />
      <span role="timer" className="flex-1">
        Listening… {Math.floor(seconds / 60)}:{String(Math.max(0, seconds % 60)).padStart(2, '0')}
      </span>
      <IconButton
        label="Discard the recording"
        icon={<Trash2 aria-hidden className="size-4" />}
        onClick={recorder.discard}
      />
      <IconButton
        label="Done speaking"
        variant="primary"
        icon={<Check aria-hidden className="size-4" />}
        onClick={recorder.stop}
      />
    </div>
  )
}
