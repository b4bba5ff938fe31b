import { Check } from 'lucide-react'
import { DropdownMenu as Radix } from 'radix-ui'
import type { ComponentProps, ReactNode } from 'react'
import { classes } from './classes'

interface MenuProps {
  /** One button that opens it. */
  trigger: ReactNode
  align?: ComponentProps<typeof Radix.Content>['align']
  side?: ComponentProps<typeof Radix.Content>['side']
  children: ReactNode
}

export const Menu = ({ trigger, align = 'end', side, children }: MenuProps) => (
  <Radix.Root modal={false}>
    <Radix.Trigger asChild>{trigger}</Radix.Trigger>
    <Radix.Portal>
      <Radix.Content
        align={align}
        side={side}
        sideOffset={6}
        collisionPadding={8}
        className="z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 animate-fade-in overflow-y-auto rounded-lg border bg-raised p-1 shadow-raised"
      >
        {children}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
)

const itemLooks =
  'flex cursor-default items-center gap-2.5 rounded-md px-2 py-1.5 text-sm outline-none select-none data-[disabled]:opacity-50 data-[highlighted]:bg-hover pointer-coarse:py-2.5 [&_svg]:size-4 [&_svg]:shrink-0'

interface MenuItemProps {
  icon?: ReactNode
  danger?: boolean
  disabled?: boolean
  onSelect?: () => void
  /** Renders its only child, a link, as the item. */
  asChild?: boolean
  children: ReactNode
}

export const MenuItem = ({ icon, danger, disabled, onSelect, asChild, children }: MenuItemProps) => (
  <Radix.Item
    disabled={disabled}
    onSelect={onSelect}
    asChild={asChild}
    className={classes(itemLooks, danger ? 'text-bad' : 'text-text [&_svg]:text-muted')}
  >
    {asChild ? (
      children
    ) : (
      <>
        {icon}
        {children}
      </>
    )}
  </Radix.Item>
)

interface MenuRadioProps<T extends string> {
  label: string
  value: T
  onChange: (value: T) => void
  options: readonly { value: T; label: string; icon?: ReactNode }[]
}

export const MenuRadioGroup = <T extends string>({ label, value, onChange, options }: MenuRadioProps<T>) => (
  <Radix.RadioGroup value={value} onValueChange={(next) => onChange(next as T)}>
    <MenuLabel>{label}</MenuLabel>
    {options.map((option) => (
      <Radix.RadioItem
        key={option.value}
        value={option.value}
        // The effect shows at once; the menu stays for a second thought.
        onSelect={(event) => event.preventDefault()}
        className={classes(itemLooks, 'text-text [&_svg]:text-muted')}
      >
        {option.icon}
        {option.label}
        <Radix.ItemIndicator className="ml-auto">
          <Check aria-hidden className="size-3.5" />
        </Radix.ItemIndicator>
      </Radix.RadioItem>
    ))}
  </Radix.RadioGroup>
)

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <Radix.Label className="px-2 pt-1.5 pb-1 text-xs font-medium text-faint">{children}</Radix.Label>
)

export const MenuSeparator = () => <Radix.Separator className="-mx-1 my-1 h-px bg-line" />
