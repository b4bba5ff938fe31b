import {
  autocompletion,
  type Completion,
  type CompletionContext,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap } from '@codemirror/commands'
import { EditorState, type Extension, RangeSetBuilder } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  EditorView,
  hoverTooltip,
  keymap,
  placeholder,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'
import { useRef, useState } from 'react'
import { completions, type Mark, type Mode, marksIn, preview, type Reading } from '../../canvas/references'
import { classes } from '../../kit/classes'
import { useFieldControl } from '../../kit/field'
import { controlLooks } from '../../kit/input'
import { texts } from '../../texts/editor'
import { Mirror, refreshed } from './mirror'

interface TemplateMirrorProps {
  value: string
  onChange: (value: string) => void
  mode: Mode
  reading: Reading
  label: string
  lines?: number
  placeholder?: string
  readOnly?: boolean
}

/** A field that takes `$in`: references are completed, show their value, and are red where a run would fail. */
export default function TemplateMirror({
  value,
  onChange,
  mode,
  reading,
  label,
  lines = 1,
  placeholder: empty,
  readOnly,
}: TemplateMirrorProps) {
  const current = useRef({ mode, reading })
  current.current = { mode, reading }
  const [extensions] = useState<Extension>(() => [
    highlighting(() => current.current),
    hover(() => current.current),
    autocompletion({ override: [(context) => complete(context, current.current.reading)], icons: false }),
    keymap.of([...completionKeymap, ...defaultKeymap]),
    EditorView.lineWrapping,
    ...(empty ? [placeholder(empty)] : []),
    EditorState.tabSize.of(2),
  ])
  const { id, 'aria-describedby': describedBy, 'aria-invalid': isInvalid } = useFieldControl()
  return (
    <div
      style={{ minHeight: `${lines * 1.15 + 0.9}rem` }}
      className={classes(
        controlLooks,
        'max-h-72 overflow-y-auto px-1.5 focus-within:border-accent focus-within:outline-2 focus-within:outline-accent/35',
        isInvalid && 'border-bad',
      )}
    >
      <Mirror
        value={value}
        onChange={onChange}
        extensions={extensions}
        refresh={reading}
        label={label}
        id={id}
        describedBy={describedBy}
        readOnly={readOnly}
      />
    </div>
  )
}

type Current = () => { mode: Mode; reading: Reading }

const marksOf = (state: EditorState, current: Current): Mark[] =>
  marksIn(state.doc.toString(), current().mode, current().reading)

const GOOD = Decoration.mark({ class: 'reference' })

function highlighting(current: Current) {
  const draw = (state: EditorState): DecorationSet => {
    const builder = new RangeSetBuilder<Decoration>()
    for (const { from, to, problem } of marksOf(state, current)) {
      const wrong =
        problem && Decoration.mark({ class: 'reference reference-wrong', attributes: { title: problem } })
      builder.add(from, to, wrong || GOOD)
    }
    return builder.finish()
  }
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet
      constructor(view: EditorView) {
        this.decorations = draw(view.state)
      }
      update(update: ViewUpdate) {
        const isRefreshed = update.transactions.some(({ effects }) =>
          effects.some((one) => one.is(refreshed)),
        )
        if (update.docChanged || isRefreshed) this.decorations = draw(update.state)
      }
    },
    { decorations: (plugin) => plugin.decorations },
  )
}

const HOVER_CHARACTERS = 600

const hover = (current: Current) =>
  hoverTooltip((view, position) => {
    const mark = marksOf(view.state, current).find(({ from, to }) => from <= position && position <= to)
    if (!mark) return null
    return {
      pos: mark.from,
      end: mark.to,
      above: true,
      create() {
        const dom = document.createElement('div')
        dom.className = `reference-value ${mark.problem ? 'reference-value-wrong' : ''}`
        dom.textContent = textOf(mark)
        return { dom }
      },
    }
  })

const textOf = ({ problem, value }: Mark): string => {
  if (problem) return problem
  if (value === undefined) return texts.reference.valueUnknown
  return value === '' ? texts.reference.valueEmpty : preview(value, HOVER_CHARACTERS)
}

function complete(context: CompletionContext, reading: Reading) {
  const word = context.matchBefore(/\$(?:[A-Za-z]*|in(?:\.[A-Za-z0-9_]*)+)$/)
  if (!word) return null
  if (!/^\$in\./.test(word.text)) {
    const whole: Completion[] = reading.inputs.ports.includes('in')
      ? [{ label: '$in', detail: preview(reading.inputs.values.get('in')) }]
      : []
    const ports = completions([], reading).map(({ label, detail }) => ({ label: `$in.${label}`, detail }))
    return { from: word.from, options: [...whole, ...ports], validFor: /^\$\w*$/ }
  }
  const path = word.text.split('.').slice(1)
  const last = path.at(-1)!
  return {
    from: word.to - last.length,
    options: completions(path.slice(0, -1), reading).map(({ label, detail }) => ({ label, detail })),
    validFor: /^\w*$/,
  }
}
