import { Tooltip as Radix } from 'radix-ui'
import type { ComponentProps, ReactNode } from 'react'

export const TooltipProvider = ({ children }: { children: ReactNode }) => (
  <Radix.Provider delayDuration={400} skipDelayDuration={200}>
    {children}
  </Radix.Provider>
)

interface TooltipProps {
  label: ReactNode
  /** One element that takes a ref and can be focused. */
  children: ReactNode
  side?: ComponentProps<typeof Radix.Content>['side']
}

export function Tooltip({ label, children, side = 'top' }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-60 max-w-72 animate-fade-in rounded-md bg-ink px-2 py-1 text-xs text-on-ink shadow-raised"
        >
          {label}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
