import { Field } from '../kit/field'
import { PasswordInput } from '../kit/password-input'
import { texts as auth } from '../texts/auth'
import { aboutField } from './problems'

const texts = auth.newPassword

interface NewPasswordFieldProps {
  label?: string
  name?: string
  /** What follows from choosing it, after the rule. */
  hint: string
  /** The failure of the form, of which the part about the password stands here. */
  problem: unknown
  required?: boolean
  value: string
  onChange(value: string): void
}

/** A password that is being chosen. */
export const NewPasswordField = ({
  label = texts.label,
  name = 'password',
  hint,
  problem,
  required = true,
  value,
  onChange,
}: NewPasswordFieldProps) => (
  <Field label={label} hint={texts.hint(hint)} error={aboutField(problem, 'password_too_short')}>
    <PasswordInput
      name={name}
      autoComplete="new-password"
      required={required}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  </Field>
)
