import { ImagePlus, Plus, Trash2 } from 'lucide-react'
import { isObject } from '../../../src/graph/read'
import { Button, IconButton } from '../../kit/button'
import { Select } from '../../kit/select'
import { texts as panels } from '../../texts/editor-panels'
import type { FieldProps } from './fields'
import { useNode } from './node-context'
import { TemplateField } from './template-field'

const texts = panels.form.messages

type Part = { type: 'text'; text: string } | { type: 'image_url'; imageUrl: { url: string } }
interface Message {
  role: string
  content: string | Part[]
}

const ROLES = [
  { value: 'system', label: texts.roles.system },
  { value: 'user', label: texts.roles.user },
  { value: 'assistant', label: texts.roles.assistant },
]

/** What a model is asked. A message is text, or text and a picture. */
export function MessagesField({ value, onChange }: FieldProps) {
  const { readOnly } = useNode()
  const messages = (Array.isArray(value) ? value.filter(isObject) : []) as unknown as Message[]
  const add = (role: string) =>
    onChange(
      role === 'system'
        ? [{ role, content: '' }, ...messages]
        : [...messages, { role, content: messages.length === 0 ? '$in' : '' }],
    )
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {messages.map((message, index) => (
        <MessageRow
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no other name
          key={index}
          message={message}
          at={index}
          onChange={(next) => onChange(next ? messages.with(index, next) : messages.toSpliced(index, 1))}
        />
      ))}
      {!readOnly && (
        <div className="flex flex-wrap gap-1">
          {!messages.some(({ role }) => role === 'system') && (
            <AddButton label={texts.addInstructions} onClick={() => add('system')} />
          )}
          <AddButton label={texts.addMessage} onClick={() => add('user')} />
        </div>
      )}
    </div>
  )
}

const AddButton = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <Button size="sm" variant="ghost" icon={<Plus aria-hidden className="size-3.5" />} onClick={onClick}>
    {label}
  </Button>
)

interface MessageRowProps {
  message: Message
  at: number
  /** Null takes it out. */
  onChange: (next: Message | null) => void
}

function MessageRow({ message, at, onChange }: MessageRowProps) {
  const { reading, readOnly } = useNode()
  const parts: Part[] =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
  function put(next: Part[]) {
    const [only] = next
    const isText = next.length <= 1 && (only === undefined || only.type === 'text')
    onChange({ ...message, content: isText ? (only?.type === 'text' ? only.text : '') : next })
  }
  return (
    <div className="flex min-w-0 flex-col gap-1.5 rounded-lg border bg-surface p-2">
      <div className="flex items-center gap-1">
        <Select
          aria-label={texts.role(at + 1)}
          className="max-w-36"
          value={message.role}
          disabled={readOnly}
          onChange={(role) => onChange({ ...message, role })}
          options={ROLES}
        />
        <span className="flex-1" />
        {!readOnly && (
          <>
            <IconButton
              size="sm"
              label={texts.addPicture}
              icon={<ImagePlus aria-hidden className="size-3.5" />}
              onClick={() => put([...parts, { type: 'image_url', imageUrl: { url: '$in.in.image' } }])}
            />
            <IconButton
              size="sm"
              label={texts.remove(at + 1)}
              icon={<Trash2 aria-hidden className="size-3.5" />}
              onClick={() => onChange(null)}
            />
          </>
        )}
      </div>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name
        <div key={index} className="flex min-w-0 items-start gap-1">
          <div className="min-w-0 flex-1">
            <TemplateField
              value={part.type === 'text' ? part.text : part.imageUrl.url}
              onChange={(text) =>
                put(
                  parts.with(
                    index,
                    part.type === 'text'
                      ? { type: 'text', text }
                      : { ...part, imageUrl: { ...part.imageUrl, url: text } },
                  ),
                )
              }
              mode="inline"
              reading={reading}
              label={part.type === 'text' ? texts.text(at + 1) : texts.picture(at + 1)}
              lines={part.type === 'text' ? 3 : 1}
              placeholder={
                message.role === 'system' ? texts.instructionsPlaceholder : texts.messagePlaceholder
              }
              readOnly={readOnly}
            />
          </div>
          {!readOnly && parts.length > 1 && (
            <IconButton
              size="sm"
              label={texts.removePart}
              icon={<Trash2 aria-hidden className="size-3.5" />}
              onClick={() => put(parts.toSpliced(index, 1))}
            />
          )}
        </div>
      ))}
    </div>
  )
}
