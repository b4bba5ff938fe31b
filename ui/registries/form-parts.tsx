import type { ReactNode } from 'react'
import { Field } from '../kit/field'
import { Input, Textarea } from '../kit/input'
import type { ModelView } from './data'

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
    label="Logical id"
    required
    error={problems.logicalId}
    hint={
      fixed
        ? 'Agents and clients know it by this id, so it stays.'
        : 'What agents, chats and clients call it.'
    }
  >
    <Input
      autoComplete="off"
      spellCheck={false}
      readOnly={fixed}
      placeholder="my-model"
      value={form.logicalId}
      onChange={(event) => onChange({ logicalId: event.target.value })}
    />
  </Field>
)

export const Advanced = ({ open, children }: { open: boolean; children: ReactNode }) => (
  <details className="group" open={open || undefined}>
    <summary className="cursor-pointer text-sm text-muted hover:text-text">Advanced</summary>
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
  hint = 'A JSON object, sent with every request that does not say otherwise.',
  placeholder = '{"temperature": 0.2, "maxTokens": 2048}',
}: ParamsFieldProps) => (
  <Field label="Default parameters" hint={hint} error={problems.params}>
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
