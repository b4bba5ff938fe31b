import { Plus, Trash2 } from 'lucide-react'
import { isObject } from '../../../src/graph/read'
import { freshId } from '../../canvas/edit/ids'
import type { Mode } from '../../canvas/references'
import { Button, IconButton } from '../../kit/button'
import { Input } from '../../kit/input'
import { texts as panels } from '../../texts/editor-panels'
import type { FieldProps } from './fields'
import { useNode } from './node-context'
import { TemplateField } from './template-field'

const texts = panels.form.map

/** Names and values, such as the arguments of a tool. A value that is no text is written as JSON. */
export function MapField({ value, onChange, mode }: FieldProps & { mode: Mode | undefined }) {
  const { reading, readOnly } = useNode()
  const entries = Object.entries(isObject(value) ? value : {})
  const put = (next: [string, unknown][]) => onChange(Object.fromEntries(next))
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {entries.map(([key, one], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the name is what is being typed
        <div key={index} className="flex min-w-0 items-start gap-1.5">
          <Input
            aria-label={texts.name(index + 1)}
            className="max-w-28 font-mono text-xs"
            value={key}
            readOnly={readOnly}
            onChange={({ target }) => {
              const taken = entries.some(([other], at) => at !== index && other === target.value)
              if (!taken) put(entries.with(index, [target.value, one]))
            }}
          />
          <div className="min-w-0 flex-1">
            <TemplateField
              value={typeof one === 'string' ? one : JSON.stringify(one)}
              onChange={(text) =>
                put(entries.with(index, [key, typeof one === 'string' ? text : fromText(text)]))
              }
              mode={mode ?? 'whole'}
              reading={reading}
              label={texts.value(key)}
              readOnly={readOnly}
            />
          </div>
          {!readOnly && (
            <IconButton
              size="sm"
              label={texts.remove(key)}
              icon={<Trash2 aria-hidden className="size-3.5" />}
              onClick={() => put(entries.toSpliced(index, 1))}
            />
          )}
        </div>
      ))}
      {!readOnly && (
        <Button
          size="sm"
          variant="ghost"
          className="self-start"
          icon={<Plus aria-hidden className="size-3.5" />}
          onClick={() =>
            put([
              ...entries,
              [
                freshId(
                  'name',
                  entries.map(([key]) => key),
                ),
                '',
              ],
            ])
          }
        >
          {texts.add}
        </Button>
      )}
    </div>
  )
}

function fromText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
