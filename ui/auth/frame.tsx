import type { ReactNode } from 'react'
import { useDocumentTitle } from '../kit/page-header'
import { Mark } from '../shell/mark'

interface FrameProps {
  title: string
  description?: ReactNode
  /** Below the card. */
  footer?: ReactNode
  children: ReactNode
}

/** What stands before the application: one thing to do, in the middle. */
export function Frame({ title, description, footer, children }: FrameProps) {
  useDocumentTitle(title)
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center px-4 py-12">
      <div className="w-full max-w-sm">
        <Mark className="mb-6 size-9" />
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {description && <p className="mt-1 text-sm text-muted">{description}</p>}
        <div className="mt-6">{children}</div>
        {footer && <div className="mt-6 text-xs text-faint">{footer}</div>}
      </div>
    </main>
  )
}
