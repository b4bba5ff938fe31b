import { Dices } from 'lucide-react'
import { Button } from '../kit/button'
import { CopyButton } from '../kit/copying'
import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { newSecret } from './signing'

interface SecretFieldProps {
  value: string
  onChange: (value: string) => void
  error?: string | null
}

/** In plain sight: it has to be carried to the sender, and is never shown again. */
export const SecretField = ({ value, onChange, error }: SecretFieldProps) => (
  <Field
    label="Signing secret"
    required
    error={error}
    hint="Give it to whoever delivers. It is stored encrypted and never shown again."
  >
    <div className="flex min-w-0 items-center gap-1.5">
      <Input
        className="font-mono text-xs"
        spellCheck={false}
        autoComplete="off"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {value !== '' && <CopyButton text={value} label="Copy the secret" />}
      <Button icon={<Dices aria-hidden className="size-4" />} onClick={() => onChange(newSecret())}>
        Generate
      </Button>
    </div>
  </Field>
)
