import { Send } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react'
import { Button } from '../kit/button'
import { Field } from '../kit/field'
import { Segmented } from '../kit/segmented'
import { texts as waiting } from '../texts/waiting'
import { type Entry, initialEntries, readAnswer } from './answers'
import { FieldControl, isGroup } from './field-control'
import { Needed, OptionsField } from './options-field'
import { type AnswerField, fieldsOf } from './schema-fields'

const texts = waiting.form

interface AnswerFormProps {
  /** Names it for those who cannot see where it is. */
  label: string
  schema: Record<string, unknown> | null
  /** What a value is called that the schema does not name. */
  fieldLabel?: string
  /** The verb on the button. */
  submit: string
  pending: boolean
  /** Nothing can be sent any more; what was typed stays to be read and copied. */
  closed?: boolean
  /** What the server says of single fields, by position, after a refusal. */
  refused?: (fields: readonly AnswerField[]) => (string | null)[]
  onSubmit: (answer: unknown) => void
  /** Something was typed. */
  onEdit?: () => void
  /** Between the fields and the button: what went wrong. */
  children?: ReactNode
}

/** The form that a JSON schema asks for; without one a text, or JSON. */
export function AnswerForm(props: AnswerFormProps) {
  const fields = useMemo(() => fieldsOf(props.schema), [props.schema])
  return fields ? <Fields {...props} fields={fields} /> : <FreeAnswer {...props} />
}

const FREE = {
  key: null,
  hint: null,
  required: true,
  limits: { least: null, most: null, shortest: null, longest: null },
  default: undefined,
} as const
const AS_TEXT = { ...FREE, control: { kind: 'long' } } as const
const AS_JSON = {
  ...FREE,
  hint: texts.jsonHint,
  control: { kind: 'json' },
} as const

function FreeAnswer(props: AnswerFormProps) {
  const { fieldLabel = texts.answer } = props
  const [format, setFormat] = useState<'text' | 'json'>('text')
  const field: AnswerField = { ...(format === 'text' ? AS_TEXT : AS_JSON), label: fieldLabel }
  return (
    <Fields
      {...props}
      fields={[field]}
      beside={
        <Segmented
          label={texts.format}
          hideLabel
          value={format}
          onChange={setFormat}
          options={[
            { value: 'text', label: texts.text },
            { value: 'json', label: texts.json },
          ]}
        />
      }
    />
  )
}

interface FieldsProps extends AnswerFormProps {
  fields: readonly AnswerField[]
  /** Left of the button. */
  beside?: ReactNode
}

function Fields(props: FieldsProps) {
  const {
    label,
    fields,
    submit,
    pending,
    closed = false,
    refused,
    beside,
    onSubmit,
    onEdit,
    children,
  } = props
  const form = useRef<HTMLFormElement>(null)
  const [entries, setEntries] = useState<readonly Entry[]>(() => initialEntries(fields))
  const [problems, setProblems] = useState<(string | null)[]>([])
  const named = refused?.(fields) ?? []

  function change(index: number, entry: Entry) {
    setEntries((now) => now.with(index, entry))
    setProblems((now) => now.map((problem, at) => (at === index ? null : problem)))
    onEdit?.()
  }

  function send(event: FormEvent) {
    event.preventDefault()
    if (pending || closed) return
    const read = readAnswer(fields, entries)
    setProblems(read.ok ? [] : read.problems)
    if (read.ok) onSubmit(read.answer)
    else focusField(form.current, read.problems.findIndex(Boolean))
  }

  return (
    <form
      ref={form}
      aria-label={label}
      noValidate
      onSubmit={send}
      onKeyDown={submitOnModifiedEnter}
      className="flex min-w-0 flex-col gap-4"
    >
      {fields.map((field, index) => (
        <div key={field.key ?? ''} data-field={index} className="min-w-0">
          <OneField
            field={field}
            entry={entries[index]!}
            problem={problems[index] ?? named[index] ?? null}
            disabled={closed}
            onChange={(entry) => change(index, entry)}
          />
        </div>
      ))}
      {children}
      {!closed && (
        <div className="flex flex-wrap items-center justify-end gap-x-4 gap-y-2">
          {beside}
          <Button
            type="submit"
            variant="primary"
            pending={pending}
            icon={<Send aria-hidden className="size-3.5" />}
          >
            {submit}
          </Button>
        </div>
      )}
    </form>
  )
}

interface OneFieldProps {
  field: AnswerField
  entry: Entry
  problem: string | null
  disabled: boolean
  onChange: (entry: Entry) => void
}

const OneField = ({ field, entry, problem, disabled, onChange }: OneFieldProps) =>
  isGroup(field) ? (
    <OptionsField
      field={field}
      chosen={entry as number[]}
      problem={problem}
      disabled={disabled}
      onChange={onChange}
    />
  ) : (
    <Field
      label={
        <>
          {field.label}
          {field.required && field.control.kind !== 'switch' && <Needed />}
        </>
      }
      hint={field.hint}
      error={problem}
      required={field.required}
    >
      <FieldControl field={field} entry={entry} disabled={disabled} onChange={onChange} />
    </Field>
  )

const focusField = (form: HTMLFormElement | null, index: number) =>
  form?.querySelector<HTMLElement>(`[data-field="${index}"] :is(input, textarea, button)`)?.focus()

/** In a long text Enter begins a line. */
function submitOnModifiedEnter(event: KeyboardEvent<HTMLFormElement>) {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  event.currentTarget.requestSubmit()
}
