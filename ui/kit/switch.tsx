import { Switch as Radix } from 'radix-ui'
import { useFieldControl } from './field'

interface SwitchProps {
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
  'aria-label'?: string
}

/** Takes effect at once, or with the form it is in. */
export function Switch({ checked, onChange, disabled, ...rest }: SwitchProps) {
  return (
    <Radix.Root
      {...useFieldControl()}
      {...rest}
      checked={checked}
      onCheckedChange={onChange}
      disabled={disabled}
      className="inline-flex h-5 w-9 shrink-0 items-center rounded-full border border-transparent bg-line-strong px-0.5 transition-colors duration-150 disabled:opacity-50 data-[state=checked]:bg-accent"
    >
      <Radix.Thumb className="block size-3.5 rounded-full bg-surface shadow-card transition-transform duration-150 ease-out data-[state=checked]:translate-x-4 dark:bg-text dark:data-[state=checked]:bg-canvas" />
    </Radix.Root>
  )
}
