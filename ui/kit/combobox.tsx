import { Command } from 'cmdk'
import { Check, ChevronDown } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { texts } from '../texts/kit'
import { classes } from './classes'
import { useFieldControl } from './field'

interface ComboboxOption {
  value: string
  label: string
  /** Small, at the right. */
  hint?: string
}

interface ComboboxProps {
  /** Names it where no `Field` does. */
  label: string
  value: string | null
  onChange: (value: string) => void
  options: readonly ComboboxOption[]
  placeholder?: string
  searchPlaceholder?: string
  /** Shown when nothing fits. */
  empty: ReactNode
  /** Below the list: a link to where options come from. */
  footer?: ReactNode
  align?: 'start' | 'end'
  disabled?: boolean
  className?: string
}

/** A choice among many, found by typing a piece of its name. */
export function Combobox({
  label,
  value,
  onChange,
  options,
  placeholder = texts.choose,
  searchPlaceholder = texts.combobox.search,
  empty,
  footer,
  align = 'start',
  disabled,
  className,
}: ComboboxProps) {
  const [open, setOpen] = useState(false)
  const chosen = options.find((option) => option.value === value)
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        {...useFieldControl()}
        disabled={disabled}
        aria-label={texts.combobox.label(label, chosen?.label)}
        className={classes(
          'inline-flex h-8 max-w-full min-w-0 items-center gap-1.5 rounded-md border border-transparent px-2.5 text-sm text-text transition-colors hover:bg-sunken disabled:opacity-50 aria-expanded:bg-sunken pointer-coarse:h-10',
          className,
        )}
      >
        <span className={classes('min-w-0 flex-1 truncate text-left', !chosen && 'text-faint')}>
          {chosen?.label ?? placeholder}
        </span>
        <ChevronDown aria-hidden className="size-3.5 shrink-0 text-faint" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          aria-label={label}
          className="z-50 w-80 max-w-[calc(100vw-1rem)] animate-fade-in overflow-hidden rounded-lg border bg-raised shadow-raised outline-none"
        >
          <Command label={label} defaultValue={value ?? undefined} loop>
            <Command.Input
              placeholder={searchPlaceholder}
              className="h-10 w-full border-b bg-transparent px-3 text-sm outline-none"
            />
            <Command.List
              label={label}
              className="max-h-[min(18rem,50dvh)] overflow-y-auto overscroll-contain p-1"
            >
              <Command.Empty className="px-3 py-6 text-center text-sm text-muted">{empty}</Command.Empty>
              {options.map((option) => (
                <Command.Item
                  key={option.value}
                  value={option.value}
                  keywords={[option.label, option.hint ?? '']}
                  onSelect={() => {
                    onChange(option.value)
                    setOpen(false)
                  }}
                  className="flex h-9 cursor-default items-center gap-2 rounded-md px-2 text-sm select-none data-[selected=true]:bg-sunken pointer-coarse:h-11"
                >
                  <Check
                    aria-hidden
                    className={classes(
                      'size-3.5 shrink-0 text-accent',
                      option.value !== value && 'invisible',
                    )}
                  />
                  <span className="min-w-0 flex-1 truncate">{option.label}</span>
                  {option.hint && (
                    <span className="max-w-32 shrink-0 truncate text-xs text-muted">{option.hint}</span>
                  )}
                </Command.Item>
              ))}
            </Command.List>
          </Command>
          {footer && <div className="border-t p-1">{footer}</div>}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
