import { Annotation, type Extension, Prec, StateEffect } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { useEffect, useEffectEvent, useRef } from 'react'
import { classes } from '../../kit/classes'

/** Text that came from outside, not from the person's keyboard. */
const outside = Annotation.define<boolean>()
/** What extensions read from may have changed, though the text did not. */
export const refreshed = StateEffect.define<null>()

interface MirrorProps {
  value: string
  onChange: (value: string) => void
  /** Fixed as long as it is there; what changes in it announces itself by `refresh`. */
  extensions: Extension
  /** Something that extensions read from: they look again whenever it is another. */
  refresh?: unknown
  readOnly?: boolean
  label: string
  id?: string
  describedBy?: string
  onReady?: (view: EditorView) => void
  className?: string
}

/** CodeMirror around a controlled text. */
export function Mirror({
  value,
  onChange,
  extensions,
  refresh,
  readOnly = false,
  label,
  id,
  describedBy,
  onReady,
  className,
}: MirrorProps) {
  const holder = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const typed = useRef<string[]>([])
  const changed = useEffectEvent(onChange)
  const ready = useEffectEvent((made: EditorView) => onReady?.(made))

  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; later texts come in below
  useEffect(() => {
    const made = new EditorView({
      doc: value,
      parent: holder.current!,
      extensions: [
        extensions,
        looks,
        EditorView.editable.of(!readOnly),
        EditorView.contentAttributes.of({
          'aria-label': label,
          ...(readOnly && { tabindex: '0', 'aria-readonly': 'true' }),
          ...(id && { id }),
          ...(describedBy && { 'aria-describedby': describedBy }),
        }),
        EditorView.updateListener.of((update) => {
          const isOurs = update.transactions.some((one) => one.annotation(outside))
          if (!update.docChanged || isOurs) return
          const text = update.state.doc.toString()
          typed.current.push(text)
          changed(text)
        }),
      ],
    })
    view.current = made
    ready(made)
    return () => made.destroy()
  }, [])

  useEffect(() => {
    const current = view.current
    // React may be behind fast typing: a text that was typed here a moment ago must not undo what came since.
    const echo = typed.current.lastIndexOf(value)
    typed.current.splice(0, echo >= 0 ? echo + 1 : typed.current.length)
    if (!current || echo >= 0 || current.state.doc.toString() === value) return
    current.dispatch({
      changes: difference(current.state.doc.toString(), value),
      annotations: outside.of(true),
    })
  }, [value])

  useEffect(() => {
    if (refresh !== undefined) view.current?.dispatch({ effects: refreshed.of(null) })
  }, [refresh])

  return <div ref={holder} className={classes('mirror min-w-0', className)} />
}

/** The one piece that differs, so that the cursor stays where it is. */
function difference(before: string, after: string) {
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start++
  let end = 0
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) }
}

const looks = Prec.high(
  EditorView.theme({
    '&': { color: 'var(--text)', backgroundColor: 'transparent', fontSize: '12px' },
    '&.cm-focused': { outline: 'none' },
    '.cm-content': { fontFamily: 'var(--font-mono)', caretColor: 'var(--text)', lineHeight: '1.5' },
    '.cm-cursor': { borderLeftColor: 'var(--text)' },
    '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
      backgroundColor: 'color-mix(in srgb, var(--accent) 24%, transparent)',
    },
    '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--faint)', border: 'none' },
    '.cm-activeLine, .cm-activeLineGutter': {
      backgroundColor: 'color-mix(in srgb, var(--hover) 60%, transparent)',
    },
    '.cm-tooltip': {
      backgroundColor: 'var(--raised)',
      color: 'var(--text)',
      border: '1px solid var(--line)',
      borderRadius: '8px',
      boxShadow: 'var(--shadow-raised)',
      maxWidth: '28rem',
    },
    '.cm-tooltip-autocomplete ul li[aria-selected]': {
      backgroundColor: 'var(--hover)',
      color: 'var(--text)',
    },
    '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal', marginLeft: '1em' },
    '.cm-placeholder': { color: 'var(--faint)' },
    '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
    '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)' },
  }),
)
