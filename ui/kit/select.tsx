import { Check, ChevronDown } from 'lucide-react'
import { Select as Radix } from 'radix-ui'
import { texts } from '../texts/kit'
import { classes } from './classes'
import { useFieldControl } from './field'
import { controlLooks } from './input'

interface Option<T extends string = string> {
  value: T
  label: string
  /** Small, below the label. */
  hint?: string
  disabled?: boolean
}

interface SelectProps<T extends string> {
  /** `''` is nothing chosen: `placeholder` shows. */
  value: T | ''
  onChange: (value: T) => void
  options: readonly Option<T>[]
  placeholder?: string
  disabled?: boolean
  'aria-label'?: string
  className?: string
}

export function Select<T extends string>({
  value,
  onChange,
  options,
  placeholder = texts.choose,
  disabled,
  className,
  ...rest
}: SelectProps<T>) {
  return (
    <Radix.Root value={value} onValueChange={(next) => onChange(next as T)} disabled={disabled}>
      <Radix.Trigger
        {...useFieldControl()}
        {...rest}
        className={classes(
          controlLooks,
          'inline-flex h-8 items-center justify-between gap-2 px-2.5 text-left data-[placeholder]:text-faint pointer-coarse:h-10',
          className,
        )}
      >
        <span className="truncate">
          <Radix.Value placeholder={placeholder} />
        </span>
        <Radix.Icon asChild>
          <ChevronDown aria-hidden className="size-3.5 shrink-0 text-faint" />
        </Radix.Icon>
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-(--radix-select-content-available-height) min-w-(--radix-select-trigger-width) max-w-80 animate-fade-in overflow-hidden rounded-lg border bg-raised shadow-raised"
        >
          <Radix.Viewport className="p-1">
            {options.map((option) => (
              <Item key={option.value} {...option} />
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

const Item = ({ value, label, hint, disabled }: Option) => (
  <Radix.Item
    value={value}
    disabled={disabled}
    className="relative flex cursor-default flex-col rounded-md py-1.5 pr-8 pl-2.5 text-sm text-text outline-none select-none data-[disabled]:opacity-50 data-[highlighted]:bg-hover pointer-coarse:py-2.5"
  >
    <Radix.ItemText>{label}</Radix.ItemText>
    {hint && <span className="text-xs text-muted">{hint}</span>}
    <Radix.ItemIndicator className="absolute top-2 right-2.5">
      <Check aria-hidden className="size-3.5 text-accent" />
    </Radix.ItemIndicator>
  </Radix.Item>
)
