import { Pencil } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { Button, IconButton } from '../kit/button'
import { Textarea } from '../kit/input'
import { texts as chat } from '../texts/chat'
import { texts as common } from '../texts/common'
import { mediaIn } from '../trace/media'
import { MediaView } from '../trace/media-view'
import { type ChatInput, fileOf, imageOf, textOf, withText } from './input'

const texts = chat.question

interface QuestionProps {
  input: ChatInput
  /** Asks it anew with other words; absent while that cannot be. */
  onEdit?: (input: ChatInput) => void
}

/** What was asked. */
export function Question({ input, onEdit }: QuestionProps) {
  const [editing, setEditing] = useState(false)
  const image = imageOf(input)
  const file = fileOf(input)
  const text = textOf(input)
  return (
    <div className="group/question flex w-full max-w-[85%] min-w-0 flex-col items-end gap-2 self-end">
      {image && (
        <img
          src={image}
          alt={texts.attached}
          className="max-h-64 max-w-full rounded-lg border object-contain"
        />
      )}
      {file && (
        <div className="w-80 max-w-full">
          {mediaIn(file).map((media) => (
            <MediaView key={media.name} media={media} label={texts.attached} />
          ))}
        </div>
      )}
      {editing && onEdit ? (
        <Editing
          text={text}
          onCancel={() => setEditing(false)}
          onSend={(words) => {
            setEditing(false)
            onEdit(withText(input, words))
          }}
        />
      ) : (
        <div className="flex max-w-full min-w-0 items-center gap-1">
          {onEdit && text !== '' && (
            <IconButton
              label={texts.edit}
              size="sm"
              icon={<Pencil aria-hidden className="size-3.5" />}
              className="opacity-0 group-focus-within/question:opacity-100 group-hover/question:opacity-100 pointer-coarse:opacity-100"
              onClick={() => setEditing(true)}
            />
          )}
          {text !== '' && (
            <p className="min-w-0 rounded-xl bg-sunken px-3.5 py-2 text-base leading-relaxed whitespace-pre-wrap">
              {text}
            </p>
          )}
        </div>
      )}
    </div>
  )
}

interface EditingProps {
  text: string
  onSend: (text: string) => void
  onCancel: () => void
}

function Editing({ text, onSend, onCancel }: EditingProps) {
  const [words, setWords] = useState(text)
  const ready = words.trim() !== ''
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape') onCancel()
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (ready) onSend(words.trim())
  }
  return (
    <form
      aria-label={texts.edit}
      className="flex w-full flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (ready) onSend(words.trim())
      }}
    >
      <Textarea
        aria-label={texts.field}
        autoFocus
        rows={Math.min(10, words.split('\n').length + 1)}
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="mr-auto text-xs text-muted">{texts.editHint}</p>
        <Button size="sm" variant="ghost" onClick={onCancel}>
          {common.cancel}
        </Button>
        <Button size="sm" variant="primary" type="submit" disabled={!ready}>
          {texts.submit}
        </Button>
      </div>
    </form>
  )
}
