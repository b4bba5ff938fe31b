import { useId } from 'react'
import { classes } from '../kit/classes'
import { texts } from '../texts/waiting'
import type { AnswerField } from './schema-fields'

interface OptionsFieldProps {
  field: AnswerField
  chosen: readonly number[]
  problem: string | null
  disabled: boolean
  onChange: (chosen: number[]) => void
}

/** A few choices, all on show. They are the browser's own radios and boxes: arrow keys and space are theirs. */
export function OptionsField({ field, chosen, problem, disabled, onChange }: OptionsFieldProps) {
  const id = useId()
  const { control, label, hint, required } = field
  if (control.kind !== 'choice' && control.kind !== 'several') return null
  const several = control.kind === 'several'
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ')

  const choose = (index: number, on: boolean) =>
    onChange(!several ? [index] : on ? [...chosen, index] : chosen.filter((one) => one !== index))

  return (
    <fieldset aria-describedby={described || undefined} className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 text-sm font-medium text-text">
        {label}
        {required && <Needed />}
      </legend>
      <div className="flex flex-wrap gap-2">
        {control.options.map((option, index) => (
          <label
            key={JSON.stringify(option.value)}
            className={classes(
              'inline-flex min-h-8 max-w-full items-center gap-2 rounded-md border border-line-strong bg-surface px-3 py-1 text-sm shadow-card transition-colors hover:border-faint has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:min-h-10',
              problem && 'border-bad',
              disabled && 'cursor-not-allowed opacity-60',
            )}
          >
            <input
              type={several ? 'checkbox' : 'radio'}
              name={id}
              disabled={disabled}
              checked={chosen.includes(index)}
              onChange={({ target }) => choose(index, target.checked)}
              className="size-3.5 shrink-0 accent-accent outline-none"
            />
            <span className="min-w-0 break-words">{option.label}</span>
          </label>
        ))}
      </div>
      {hint && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {problem && (
        <p id={`${id}-problem`} className="text-xs font-medium text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  )
}

/** Beside the label of what must be filled in. */
export const Needed = () => (
  <>
    <span aria-hidden className="ml-0.5 text-bad">
      *
    </span>
    <span className="sr-only"> {texts.form.required}</span>
  </>
)
