import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../kit/button'
import { classes } from '../kit/classes'
import { texts as trace } from '../texts/trace'

const texts = trace.json

/** So many entries of one list or object at a time: only what is open is drawn. */
const ENTRIES = 100
/** Of a text; the rest on demand. */
const CHARACTERS = 300
/** What is open from the start. */
const OPEN_DEPTH = 1
const INDENT_PX = 14

/** JSON of any size, to be opened where one wants to look. */
export const JsonTree = ({ value }: { value: unknown }) => (
  <div className="font-mono text-xs leading-relaxed">
    <Entry name={null} value={value} depth={0} />
  </div>
)

interface EntryProps {
  name: string | null
  value: unknown
  depth: number
}

function Entry({ name, value, depth }: EntryProps) {
  const [open, setOpen] = useState(depth < OPEN_DEPTH)
  if (typeof value !== 'object' || value === null) {
    return (
      <p className="break-words" style={{ paddingLeft: depth * INDENT_PX + 16 }}>
        <Name name={name} />
        <Scalar value={value} />
      </p>
    )
  }
  const entries = Object.entries(value)
  return (
    <>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full items-start gap-0.5 rounded-sm text-left hover:bg-sunken focus-visible:outline-offset-[-2px] pointer-coarse:py-1"
        style={{ paddingLeft: depth * INDENT_PX }}
      >
        <ChevronRight
          aria-hidden
          className={classes('mt-0.5 size-3.5 shrink-0 text-faint transition-transform', open && 'rotate-90')}
        />
        <span className="min-w-0 break-words">
          <Name name={name} />
          <span className="text-faint">{sizeOf(value, entries.length)}</span>
        </span>
      </button>
      {open && <Entries entries={entries} depth={depth + 1} />}
    </>
  )
}

function Entries({ entries, depth }: { entries: [string, unknown][]; depth: number }) {
  const [shown, setShown] = useState(ENTRIES)
  const left = entries.length - shown
  return (
    <>
      {entries.slice(0, shown).map(([key, value]) => (
        <Entry key={key} name={key} value={value} depth={depth} />
      ))}
      {left > 0 && (
        <div className="font-sans" style={{ paddingLeft: depth * INDENT_PX }}>
          <Button size="sm" variant="ghost" onClick={() => setShown(shown + ENTRIES)}>
            {texts.showMore(Math.min(ENTRIES, left), left)}
          </Button>
        </div>
      )}
    </>
  )
}

const Name = ({ name }: { name: string | null }) =>
  name === null ? null : <span className="text-muted">{name}: </span>

function Scalar({ value }: { value: unknown }) {
  const [whole, setWhole] = useState(false)
  if (typeof value !== 'string') return <span className="text-accent">{String(value)}</span>
  const text = JSON.stringify(whole ? value : value.slice(0, CHARACTERS))
  const left = value.length - CHARACTERS
  return (
    <>
      <span className="text-text">{text}</span>
      {left > 0 && (
        <button
          type="button"
          onClick={() => setWhole(!whole)}
          className="ml-1 font-sans text-accent underline underline-offset-2"
        >
          {whole ? texts.less : texts.charactersMore(left)}
        </button>
      )}
    </>
  )
}

function sizeOf(value: object, count: number): string {
  const [counted, open, close] = Array.isArray(value) ? [texts.items, '[', ']'] : [texts.keys, '{', '}']
  return count === 0 ? `${open}${close}` : `${open} ${counted(count)} ${close}`
}
