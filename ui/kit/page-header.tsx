import { type ReactNode, useEffect } from 'react'
import { texts } from '../texts/kit'
import { classes } from './classes'

/** The browser's title for this screen; `PageHeader` sets it itself. */
export function useDocumentTitle(title: string) {
  useEffect(() => {
    document.title = texts.pageTitle(title)
  }, [title])
}

interface PageHeaderProps {
  title: string
  description?: ReactNode
  /** Above the title: a link back. */
  back?: ReactNode
  /** Beside the title: a badge. */
  aside?: ReactNode
  actions?: ReactNode
}

/** The one `h1` of a screen. It takes the focus after a navigation, so that screen readers say where one is. */
export function PageHeader({ title, description, back, aside, actions }: PageHeaderProps) {
  useDocumentTitle(title)
  return (
    <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0 flex-1 basis-64">
        {back && <div className="mb-1.5 text-sm text-muted">{back}</div>}
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h1 tabIndex={-1} className="min-w-0 text-xl font-semibold tracking-tight text-text">
            {title}
          </h1>
          {aside}
        </div>
        {description && <p className="mt-0.5 max-w-prose text-sm text-muted">{description}</p>}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  )
}

/** The frame of an ordinary screen. `wide` for what needs all the room; a full-bleed screen leaves it out. */
export const Page = ({ wide = false, children }: { wide?: boolean; children: ReactNode }) => (
  <div
    className={classes(
      'mx-auto flex w-full min-w-0 flex-col gap-6 px-4 py-6 sm:px-8 sm:py-8',
      wide ? 'max-w-none' : 'max-w-6xl',
    )}
  >
    {children}
  </div>
)
