import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, foldGutter } from '@codemirror/language'
import { type Diagnostic, forceLinting, linter, lintGutter } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useRef, useState } from 'react'
import type { Problem } from '../../../src/graph/problem'
import { texts } from '../../texts/editor'
import { colours } from './json-colours'
import { Mirror } from './mirror'
import { placeOf } from './pointer'

interface JsonMirrorProps {
  value: string
  onChange: (value: string) => void
  /** What is wrong with the text, by JSON pointer. */
  problems: readonly Pick<Problem, 'path' | 'message' | 'hint'>[]
  label: string
  readOnly?: boolean
  /** A place to go to. */
  goTo?: string | null
  className?: string
}

/** JSON with its structure in colours, and problems underlined where they are. It has an undo of its own. */
export function JsonMirror({ value, onChange, problems, label, readOnly, goTo, className }: JsonMirrorProps) {
  const known = useRef(problems)
  known.current = problems
  const view = useRef<EditorView | null>(null)
  const [extensions] = useState(() => [
    json(),
    history(),
    lineNumbers(),
    foldGutter(),
    bracketMatching(),
    closeBrackets(),
    colours,
    lintGutter(),
    linter((one) => diagnose(one, known.current), { delay: 300 }),
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
    EditorState.tabSize.of(2),
    EditorView.lineWrapping,
  ])
  useEffect(() => {
    if (view.current && problems) forceLinting(view.current)
  }, [problems])
  useEffect(() => {
    const current = view.current
    if (!current || !goTo) return
    const place = placeOf(current.state, goTo)
    current.dispatch({
      selection: { anchor: place.from },
      effects: EditorView.scrollIntoView(place.from, { y: 'center' }),
    })
    current.focus()
  }, [goTo])
  return (
    <Mirror
      value={value}
      onChange={onChange}
      extensions={extensions}
      label={label}
      readOnly={readOnly}
      onReady={(made) => {
        view.current = made
      }}
      className={className}
    />
  )
}

function diagnose(view: EditorView, problems: JsonMirrorProps['problems']): Diagnostic[] {
  const text = view.state.doc.toString()
  const mistake = mistakeIn(text)
  if (mistake) return [{ from: 0, to: Math.min(text.length, 1), severity: 'error', ...mistake }]
  return problems.map(({ path, message, hint }) => ({
    ...placeOf(view.state, path),
    severity: 'error',
    message: `${message} ${hint}`,
  }))
}

function mistakeIn(text: string): { message: string; from?: number; to?: number } | null {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    const { message } = error as Error
    const at = Number(/position (\d+)/.exec(message)?.[1] ?? Number.NaN)
    const place = Number.isNaN(at) ? {} : { from: Math.max(0, at - 1), to: Math.min(text.length, at + 1) }
    return { message: texts.code.notJson(message), ...place }
  }
}
