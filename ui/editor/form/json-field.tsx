import { useState } from 'react'
import { Textarea } from '../../kit/input'
import { texts } from '../../texts/editor-panels'
import type { FieldProps } from './fields'
import { useNode } from './node-context'

/** Any JSON, as text. What is no JSON yet stays here until it is. */
export function JsonField({ value, shape, onChange }: Omit<FieldProps, 'path' | 'name'>) {
  const { readOnly } = useNode()
  const [typed, setTyped] = useState<{ text: string; of: unknown } | null>(null)
  const isOurs = typed !== null && (typed.of === value || JSON.stringify(typed.of) === JSON.stringify(value))
  const text = isOurs
    ? typed.text
    : value === undefined || value === null
      ? ''
      : JSON.stringify(value, null, 2)
  const mistake = isOurs && text.trim() !== '' && parse(text) === undefined

  function type(next: string) {
    const parsed = next.trim() === '' ? undefined : parse(next)
    const isBroken = next.trim() !== '' && parsed === undefined
    setTyped({ text: next, of: isBroken ? value : parsed })
    if (!isBroken) onChange(parsed)
  }

  return (
    <>
      <Textarea
        rows={Math.min(10, Math.max(2, text.split('\n').length))}
        className="font-mono text-xs"
        spellCheck={false}
        readOnly={readOnly}
        value={text}
        placeholder={shape.default ? JSON.stringify(shape.default) : '{}'}
        onChange={({ target }) => type(target.value)}
      />
      {mistake && <p className="text-xs font-medium text-bad">{texts.form.notJson}</p>}
    </>
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
