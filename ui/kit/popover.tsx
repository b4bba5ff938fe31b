import { Popover as Radix } from 'radix-ui'
import type { ComponentProps, ReactNode } from 'react'

interface PopoverProps {
  /** One button that opens it. */
  trigger: ReactNode
  /** Names it for screen readers. */
  label: string
  align?: ComponentProps<typeof Radix.Content>['align']
  side?: ComponentProps<typeof Radix.Content>['side']
  children: ReactNode
}

export const Popover = ({ trigger, label, align = 'start', side, children }: PopoverProps) => (
  <Radix.Root>
    <Radix.Trigger asChild>{trigger}</Radix.Trigger>
    <Radix.Portal>
      <Radix.Content
        aria-label={label}
        align={align}
        side={side}
        sideOffset={8}
        collisionPadding={8}
        className="z-50 w-80 max-w-[calc(100vw-1rem)] animate-fade-in rounded-lg border bg-raised p-4 text-sm shadow-raised outline-none"
      >
        {children}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
)
