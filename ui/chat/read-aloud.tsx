import { useMutation } from '@tanstack/react-query'
import { Volume2 } from 'lucide-react'
import { useEffect } from 'react'
import { IconButton } from '../kit/button'
import { ErrorNotice } from '../kit/notices'
import { speak } from '../registries/trial/calls'
import { texts as chat } from '../texts/chat'

const texts = chat.readAloud

/** More at once is a wait that nobody sits through. */
const MOST_CHARACTERS = 4_000

/** Has a model of this install read an answer aloud. */
export function ReadAloud({ model, text }: { model: string; text: string }) {
  const sound = useMutation({
    mutationFn: async () => {
      const input = text.slice(0, MOST_CHARACTERS)
      return URL.createObjectURL(await speak(model, { input, voice: '' }, AbortSignal.timeout(120_000)))
    },
  })
  const url = sound.data
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url])
  return (
    <>
      <IconButton
        size="sm"
        label={texts.action}
        icon={<Volume2 aria-hidden className="size-3.5" />}
        pending={sound.isPending}
        onClick={() => sound.mutate()}
      />
      {url && (
        // biome-ignore lint/a11y/useMediaCaption: the text it reads stands above it
        <audio controls autoPlay src={url} aria-label={texts.player} className="h-8 max-w-60" />
      )}
      {sound.error && <ErrorNotice title={texts.failed} error={sound.error} />}
    </>
  )
}
