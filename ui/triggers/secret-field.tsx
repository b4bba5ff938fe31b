import { Dices } from 'lucide-react'
import { Button } from '../kit/button'
import { CopyButton } from '../kit/copying'
import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { texts as triggers } from '../texts/triggers'
import { newSecret } from './signing'

const texts = triggers.secret

interface SecretFieldProps {
  value: string
  onChange: (value: string) => void
  error?: string | null
}

/** In plain sight: it has to be carried to the sender, and is never shown again. */
export const SecretField = ({ value, onChange, error }: SecretFieldProps) => (
  <Field label={texts.label} required error={error} hint={texts.hint}>
    <div className="flex min-w-0 items-center gap-1.5">
      <Input
        className="font-mono text-xs"
        spellCheck={false}
        autoComplete="off"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {value !== '' && <CopyButton text={value} label={texts.copy} />}
      <Button icon={<Dices aria-hidden className="size-4" />} onClick={() => onChange(newSecret())}>
        {texts.generate}
      </Button>
    </div>
  </Field>
)
