import type { ReactNode } from 'react'
import { Field } from '../kit/field'
import { Input, Textarea } from '../kit/input'
import { texts as registries } from '../texts/registries'
import type { ModelView } from './data'

const texts = registries.form

/** What both forms of a registration are given. */
export interface FormProps {
  /** The model to change; absent for a new one. */
  model?: ModelView
  taken: readonly string[]
  /** Of the form element, for the button in the dialog's foot. */
  id: string
  onSaved: (model: ModelView) => void
  onPending: (pending: boolean) => void
}

interface PartProps {
  form: { logicalId: string; params: string }
  problems: { logicalId?: string; params?: string }
  onChange: (part: { logicalId?: string; params?: string }) => void
}

export const Naming = ({ form, problems, onChange, fixed }: PartProps & { fixed: boolean }) => (
  <Field
    label={texts.id.label}
    required
    error={problems.logicalId}
    hint={fixed ? texts.id.fixed : texts.id.hint}
  >
    <Input
      autoComplete="off"
      spellCheck={false}
      readOnly={fixed}
      placeholder={texts.id.example}
      value={form.logicalId}
      onChange={(event) => onChange({ logicalId: event.target.value })}
    />
  </Field>
)

export const Advanced = ({ open, children }: { open: boolean; children: ReactNode }) => (
  <details className="group" open={open || undefined}>
    <summary className="cursor-pointer text-sm text-muted hover:text-text">{texts.advanced}</summary>
    <div className="mt-3 flex flex-col gap-4">{children}</div>
  </details>
)

interface ParamsFieldProps extends PartProps {
  hint?: ReactNode
  placeholder?: string
}

export const ParamsField = ({
  form,
  problems,
  onChange,
  hint = texts.params.hint,
  placeholder = texts.params.example,
}: ParamsFieldProps) => (
  <Field label={texts.params.label} hint={hint} error={problems.params}>
    <Textarea
      rows={4}
      spellCheck={false}
      placeholder={placeholder}
      value={form.params}
      onChange={(event) => onChange({ params: event.target.value })}
      className="font-mono text-xs"
    />
  </Field>
)
