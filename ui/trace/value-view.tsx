import { type ReactNode, useMemo, useState } from 'react'
import { RichText } from '../chat/rich-text'
import { Button } from '../kit/button'
import { classes } from '../kit/classes'
import { CopyButton } from '../kit/copying'
import { texts as trace } from '../texts/trace'
import { bytes } from './format'
import { JsonTree } from './json-tree'
import { MediaView } from './media-view'
import { beginning, isLong, shown } from './payload'

const texts = trace.value

interface ValueViewProps {
  label: string
  value: unknown
  /** Text of a model: its marks are shown as what they mean. */
  formatted?: boolean
}

/** One recorded value under its name; a long one shows its beginning until one asks for more. */
export function ValueView({ label, value, formatted = false }: ValueViewProps) {
  const { text, isJson, json, image, media, cut, source } = useMemo(() => shown(value), [value])
  return (
    <div className="min-w-0 overflow-hidden rounded-lg border bg-surface">
      <div className="flex items-center justify-between gap-2 border-b bg-sunken/60 py-0.5 pr-1 pl-3">
        <span className="truncate font-mono text-2xs text-muted">{label}</span>
        <CopyButton text={source} label={texts.copy(label)} />
      </div>
      {image && (
        <img
          src={image}
          alt={texts.picture(label)}
          className="max-h-64 min-h-10 max-w-full object-contain p-3"
        />
      )}
      {media.length > 0 && (
        <div className="flex flex-wrap gap-3 p-3">
          {media.map((one) => (
            <MediaView key={one.name} media={one} label={label} />
          ))}
        </div>
      )}
      {text !== null && isJson && isLong(text) && (
        <Scrolled label={label}>
          <JsonTree value={json} />
        </Scrolled>
      )}
      {text !== null && !(isJson && isLong(text)) && (
        <Reading label={label} text={text} looks={isJson ? 'code' : formatted ? 'formatted' : 'text'} />
      )}
      {cut && <p className="border-t px-3 py-1.5 text-xs text-muted">{cut}</p>}
    </div>
  )
}

const Scrolled = ({ label, children }: { label: string; children: ReactNode }) => (
  <section
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    tabIndex={0}
    aria-label={label}
    className="max-h-96 overflow-auto px-3 py-2 focus-visible:outline-offset-[-2px]"
  >
    {children}
  </section>
)

type Looks = 'code' | 'text' | 'formatted'

function Reading({ label, text, looks }: { label: string; text: string; looks: Looks }) {
  const [whole, setWhole] = useState(false)
  const long = isLong(text)
  return (
    <>
      <Scrolled label={label}>
        <Value text={long && !whole ? `${beginning(text)}…` : text} looks={looks} />
      </Scrolled>
      {long && (
        <div className="border-t p-1">
          <Button size="sm" variant="ghost" onClick={() => setWhole(!whole)}>
            {whole ? texts.showLess : texts.showAll(bytes(text.length))}
          </Button>
        </div>
      )}
    </>
  )
}

function Value({ text, looks }: { text: string; looks: Looks }) {
  if (text === '') return <p className="text-sm text-faint italic">{texts.empty}</p>
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
