import { Input, Textarea } from '../kit/input'
import { Select } from '../kit/select'
import { Switch } from '../kit/switch'
import { texts } from '../texts/waiting'
import type { Entry } from './answers'
import type { AnswerField } from './schema-fields'

interface FieldControlProps {
  field: AnswerField
  entry: Entry
  disabled: boolean
  onChange: (entry: Entry) => void
}

/** More choices than this do not lie open. */
const MOST_RADIOS = 6

/** Those with a control for each option: they are labelled as a group. */
export const isGroup = ({ control }: AnswerField) =>
  control.kind === 'several' || (control.kind === 'choice' && control.options.length <= MOST_RADIOS)

/** The control for one field of the answer, inside its `Field`. */
export function FieldControl({ field, entry, disabled, onChange }: FieldControlProps) {
  const { control } = field
  const typed = { disabled, value: entry as string }
  switch (control.kind) {
    case 'text':
      return <Input {...typed} type={control.type} onChange={({ target }) => onChange(target.value)} />
    case 'number':
      return (
        <Input
          {...typed}
          inputMode={control.integer ? 'numeric' : 'decimal'}
          onChange={({ target }) => onChange(target.value)}
          className="max-w-48"
        />
      )
    case 'long':
      return <Textarea {...typed} rows={4} onChange={({ target }) => onChange(target.value)} />
    case 'lines':
      return (
        <Textarea
          {...typed}
          rows={3}
          placeholder={texts.form.lines}
          onChange={({ target }) => onChange(target.value)}
        />
      )
    case 'json':
      return <JsonInput {...typed} onChange={onChange} />
    case 'switch':
      return <Switch checked={entry === true} onChange={onChange} disabled={disabled} />
    case 'choice':
    case 'several':
      return (
        <Select
          value={String((entry as number[])[0] ?? '')}
          disabled={disabled}
          onChange={(index) => onChange([Number(index)])}
          options={control.options.map(({ label }, index) => ({ value: String(index), label }))}
        />
      )
  }
}

interface JsonInputProps {
  value: string
  disabled: boolean
  onChange: (text: string) => void
}

const JsonInput = ({ value, disabled, onChange }: JsonInputProps) => (
  <Textarea
    rows={5}
    value={value}
    disabled={disabled}
    spellCheck={false}
    onChange={({ target }) => onChange(target.value)}
    className="font-mono text-xs"
  />
)
