import { useState } from 'react'
import { RichText } from '../chat/rich-text'
import { Button } from '../kit/button'
import { classes } from '../kit/classes'
import { CopyButton } from '../kit/copying'
import { bytes } from './format'
import { beginning, isLong, shown } from './payload'

interface ValueViewProps {
  label: string
  value: unknown
  /** Text of a model: its marks are shown as what they mean. */
  formatted?: boolean
}

/** One recorded value under its name; a long one shows its beginning until one asks for more. */
export function ValueView({ label, value, formatted = false }: ValueViewProps) {
  const [whole, setWhole] = useState(false)
  const { text, isJson, image, cut, source } = shown(value)
  const long = text !== null && isLong(text)
  return (
    <div className="min-w-0 overflow-hidden rounded-lg border bg-surface">
      <div className="flex items-center justify-between gap-2 border-b bg-sunken/60 py-0.5 pr-1 pl-3">
        <span className="truncate font-mono text-2xs text-muted">{label}</span>
        <CopyButton text={source} label={`Copy ${label}`} />
      </div>
      {image && (
        <img
          src={image}
          alt={`${label}, as recorded`}
          className="max-h-64 min-h-10 max-w-full object-contain p-3"
        />
      )}
      {text !== null && (
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          aria-label={label}
          className="max-h-96 overflow-auto px-3 py-2 focus-visible:outline-offset-[-2px]"
        >
          <Value
            text={long && !whole ? `${beginning(text)}…` : text}
            looks={isJson ? 'code' : formatted ? 'formatted' : 'text'}
          />
        </section>
      )}
      {long && (
        <div className="border-t p-1">
          <Button size="sm" variant="ghost" onClick={() => setWhole(!whole)}>
            {whole ? 'Show less' : `Show all (${bytes(text.length)})`}
          </Button>
        </div>
      )}
      {cut && <p className="border-t px-3 py-1.5 text-xs text-muted">{cut}</p>}
    </div>
  )
}

function Value({ text, looks }: { text: string; looks: 'code' | 'text' | 'formatted' }) {
  if (text === '') return <p className="text-sm text-faint italic">empty</p>
  if (looks === 'formatted') return <RichText text={text} />
  return (
    <pre
      className={classes(
        'leading-relaxed whitespace-pre-wrap text-text',
        looks === 'code' ? 'text-xs' : 'font-sans text-sm',
      )}
    >
      {text}
    </pre>
  )
}
