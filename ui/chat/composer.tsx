import { ArrowUp, Paperclip, Square, X } from 'lucide-react'
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { IconButton } from '../kit/button'
import { classes } from '../kit/classes'
import { ErrorNotice } from '../kit/notices'
import { texts as chat } from '../texts/chat'
import { mediaIn } from '../trace/media'
import { MediaView } from '../trace/media-view'
import { type Attachment, accepted, type Takes } from './attachments'
import type { ChatInput } from './input'
import { useDraft } from './use-draft'
import { useRecorder } from './use-recorder'
import { Recording, VoiceButton } from './voice'

const texts = chat.composer

interface ComposerProps {
  field: RefObject<HTMLTextAreaElement | null>
  /** Why nothing can be sent, if so. */
  blocked: string | null
  busy: boolean
  stopping: boolean
  takes: Takes
  /** The model that writes down what is said, where there is one. */
  transcriber: string | null
  onSend: (input: ChatInput) => void
  onStop: () => void
  /** The model picker. */
  children: ReactNode
}

/** Enter sends, Shift+Enter begins a line, Escape stops. */
export function Composer(props: ComposerProps) {
  const { field, blocked, busy, stopping, takes, transcriber, onSend, onStop, children } = props
  const draft = useDraft({ field, takes, transcriber })
  const recorder = useRecorder((sound) => void draft.hear(sound))
  const [over, setOver] = useState(false)
  const message = busy || draft.busy || blocked !== null ? null : draft.message

  useLayoutEffect(() => grow(field.current, draft.text), [field, draft.text])

  function send() {
    if (message === null) return
    onSend(message)
    draft.clear()
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape' && busy) onStop()
    // Enter also ends a word in the input methods of Japanese and Chinese.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }

  function onPaste(event: ClipboardEvent) {
    const file = [...event.clipboardData.files].find(({ type }) => /^(image|audio)\//.test(type))
    if (!file) return
    event.preventDefault()
    void draft.take(file)
  }

  return (
    <form
      aria-label={texts.label}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        const [file] = event.dataTransfer.files
        if (file) void draft.take(file)
      }}
      className={classes(
        'flex min-w-0 flex-col rounded-xl border bg-surface shadow-raised transition-colors focus-within:border-faint',
        over ? 'border-accent' : 'border-line-strong',
      )}
    >
      {draft.problem !== null && <ErrorNotice error={draft.problem} className="m-2 mb-0" />}
      {draft.attached && <Attached attached={draft.attached} onRemove={draft.detach} />}
      {recorder.since === null ? (
        <textarea
          ref={field}
          rows={1}
          aria-label={texts.message}
          placeholder={blocked ?? placeholderFor(takes)}
          value={draft.text}
          onChange={(event) => draft.setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          className="max-h-[40dvh] w-full resize-none bg-transparent px-4 pt-3 pb-1 text-base leading-relaxed outline-none"
        />
      ) : (
        <Recording recorder={recorder} />
      )}
      <div className="flex min-w-0 items-center gap-0.5 p-2">
        <AttachButton takes={takes} onFile={(file) => void draft.take(file)} />
        <VoiceButton recorder={recorder} busy={draft.busy} onError={draft.setProblem} />
        <div className="min-w-0 flex-1">{children}</div>
        {/* Keys, or the button that was clicked to stop would become the one that sends within the same click. */}
        {busy ? (
          <IconButton
            key="stop"
            label={texts.stop}
            variant="primary"
            pending={stopping}
            icon={<Square aria-hidden className="size-3 fill-current" />}
            onClick={onStop}
          />
        ) : (
          <IconButton
            key="send"
            label={texts.send}
            type="submit"
            variant="primary"
            disabled={message === null}
            icon={<ArrowUp aria-hidden className="size-4" />}
          />
        )}
      </div>
    </form>
  )
}

function placeholderFor({ file, image }: Takes): string {
  if (file === 'audio') return texts.record
  if (file !== null) return texts.attachAny
  return image ? texts.ask : texts.make
}

interface AttachButtonProps {
  takes: Takes
  onFile: (file: File) => void
}

function AttachButton({ takes, onFile }: AttachButtonProps) {
  const picker = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={picker}
        type="file"
        accept={accepted(takes)}
        hidden
        aria-label={takes.file === null ? texts.picture : texts.file}
        onChange={(event) => {
          const [file] = event.target.files ?? []
          if (file) onFile(file)
          event.target.value = ''
        }}
      />
      <IconButton
        label={takes.file === null ? texts.attach : texts.attachFile}
        icon={<Paperclip aria-hidden className="size-4" />}
        onClick={() => picker.current?.click()}
      />
    </>
  )
}

const Attached = ({ attached, onRemove }: { attached: Attachment; onRemove: () => void }) => (
  <div className="relative m-3 mb-0 max-w-[calc(100%-1.5rem)] self-start">
    {attached.kind === 'image' ? (
      <img src={attached.dataUri} alt={texts.attached} className="max-h-28 rounded-lg border" />
    ) : (
      <div className="w-80 max-w-full rounded-lg border p-2">
        <p className="mb-1 truncate pr-6 text-xs text-muted">{attached.name}</p>
        {mediaIn(attached.file).map((media) => (
          <MediaView key={media.name} media={media} label={texts.attached} />
        ))}
      </div>
    )}
    <IconButton
      label={attached.kind === 'image' ? texts.removePicture : texts.removeFile}
      size="sm"
      variant="secondary"
      icon={<X aria-hidden className="size-3.5" />}
      className="absolute -top-2 -right-2"
      onClick={onRemove}
    />
  </div>
)

/** As tall as its text; what is beyond its limit scrolls. */
function grow(field: HTMLTextAreaElement | null, text: string) {
  if (!field) return
  field.style.height = 'auto'
  if (text !== '') field.style.height = `${field.scrollHeight}px`
}
