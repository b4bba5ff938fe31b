import { ArrowUp, ImagePlus, Square, X } from 'lucide-react'
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
import { asDataUri } from './image'
import type { ChatInput } from './input'

interface ComposerProps {
  field: RefObject<HTMLTextAreaElement | null>
  /** Why nothing can be sent, if so. */
  blocked: string | null
  busy: boolean
  stopping: boolean
  onSend: (input: ChatInput) => void
  onStop: () => void
  /** The model picker. */
  children: ReactNode
}

/** Enter sends, Shift+Enter begins a line, Escape stops. */
export function Composer({ field, blocked, busy, stopping, onSend, onStop, children }: ComposerProps) {
  const [text, setText] = useState('')
  const [image, setImage] = useState<string | null>(null)
  const [problem, setProblem] = useState<unknown>(null)
  const [over, setOver] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  const sendable = !busy && blocked === null && (text.trim() !== '' || image !== null)

  useLayoutEffect(() => grow(field.current, text), [field, text])

  function send() {
    if (!sendable) return
    onSend(image === null ? text.trim() : { text: text.trim(), image })
    setText('')
    setImage(null)
    setProblem(null)
  }

  async function attach(file: File | undefined) {
    if (!file) return
    setProblem(null)
    try {
      setImage(await asDataUri(file))
    } catch (error) {
      setProblem(error)
    }
    field.current?.focus()
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape' && busy) onStop()
    // Enter also ends a word in the input methods of Japanese and Chinese.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }

  function onPaste(event: ClipboardEvent) {
    const file = [...event.clipboardData.files].find(({ type }) => type.startsWith('image/'))
    if (!file) return
    event.preventDefault()
    void attach(file)
  }

  return (
    <form
      aria-label="Ask"
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
        void attach(event.dataTransfer.files[0])
      }}
      className={classes(
        'flex min-w-0 flex-col rounded-xl border bg-surface shadow-raised transition-colors focus-within:border-faint',
        over ? 'border-accent' : 'border-line-strong',
      )}
    >
      {problem !== null && <ErrorNotice error={problem} className="m-2 mb-0" />}
      {image && (
        <div className="relative m-3 mb-0 self-start">
          <img src={image} alt="To be sent" className="max-h-28 rounded-lg border" />
          <IconButton
            label="Remove the picture"
            size="sm"
            variant="secondary"
            icon={<X aria-hidden className="size-3.5" />}
            className="absolute -top-2 -right-2"
            onClick={() => setImage(null)}
          />
        </div>
      )}
      <textarea
        ref={field}
        rows={1}
        aria-label="Message"
        placeholder={blocked ?? 'Ask anything…'}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        className="max-h-[40dvh] w-full resize-none bg-transparent px-4 pt-3 pb-1 text-base leading-relaxed outline-none"
      />
      <div className="flex min-w-0 items-center gap-1 p-2">
        <input
          ref={picker}
          type="file"
          accept="image/*"
          hidden
          aria-label="Picture"
          onChange={(event) => {
            void attach(event.target.files?.[0])
            event.target.value = ''
          }}
        />
        <IconButton
          label="Attach a picture"
          icon={<ImagePlus aria-hidden className="size-4" />}
          onClick={() => picker.current?.click()}
        />
        <div className="min-w-0 flex-1">{children}</div>
        {/* Keys, or the button that was clicked to stop would become the one that sends within the same click. */}
        {busy ? (
          <IconButton
            key="stop"
            label="Stop (Esc)"
            variant="primary"
            pending={stopping}
            icon={<Square aria-hidden className="size-3 fill-current" />}
            onClick={onStop}
          />
        ) : (
          <IconButton
            key="send"
            label="Send (Enter)"
            type="submit"
            variant="primary"
            disabled={!sendable}
            icon={<ArrowUp aria-hidden className="size-4" />}
          />
        )}
      </div>
    </form>
  )
}

/** As tall as its text; what is beyond its limit scrolls. */
function grow(field: HTMLTextAreaElement | null, text: string) {
  if (!field) return
  field.style.height = 'auto'
  if (text !== '') field.style.height = `${field.scrollHeight}px`
}
