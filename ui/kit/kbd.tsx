import type { ReactNode } from 'react'

export const Kbd = ({ children }: { children: ReactNode }) => (
  <kbd className="inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-sm border bg-canvas px-1 font-sans text-2xs text-muted">
    {children}
  </kbd>
)
