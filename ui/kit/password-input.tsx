import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { texts } from '../texts/kit'
import { IconButton } from './button'
import { Input } from './input'

/** With a button that shows what was typed: kinder than asking for it twice. */
export function PasswordInput(props: Omit<ComponentProps<'input'>, 'type'>) {
  const [shown, setShown] = useState(false)
  const Icon = shown ? EyeOff : Eye
  return (
    <div className="relative">
      <Input {...props} type={shown ? 'text' : 'password'} className="pr-9" spellCheck={false} />
      <IconButton
        size="sm"
        label={shown ? texts.password.hide : texts.password.show}
        icon={<Icon aria-hidden className="size-4" />}
        onClick={() => setShown(!shown)}
        className="absolute top-1/2 right-0.5 -translate-y-1/2"
      />
    </div>
  )
}
