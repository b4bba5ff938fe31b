import { CircleAlert, Info, RotateCw, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { texts as common } from '../texts/common'
import { texts } from '../texts/kit'
import { Button } from './button'
import { classes } from './classes'

interface ErrorNoticeProps {
  /** An `ApiError`, any other error, or a text. */
  error: unknown
  /** What did not work: "The runs could not be loaded". */
  title?: string
  /** What to do about it, where the message does not say so itself. */
  help?: ReactNode
  onRetry?: () => void
  className?: string
}

/** A failure where it happened: what, why, the code to look up, and what to do. */
export function ErrorNotice({ error, title, help, onRetry, className }: ErrorNoticeProps) {
  const { message, code } = explain(error)
  return (
    <div
      role="alert"
      className={classes(
        'flex gap-2.5 rounded-lg border border-bad/25 bg-bad-soft px-3 py-2.5 text-sm text-text',
        className,
      )}
    >
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="flex min-w-0 flex-1 flex-col items-start gap-1">
        {title && <p className="font-medium">{title}</p>}
        {/* The last output of a program has lines. */}
        <p className="max-w-full whitespace-pre-line">{message}</p>
        {help && <div className="text-muted">{help}</div>}
        {code && <code className="text-xs text-muted">{code}</code>}
        {onRetry && (
          <Button
            size="sm"
            className="mt-1"
            icon={<RotateCw aria-hidden className="size-3" />}
            onClick={onRetry}
          >
            {common.tryAgain}
          </Button>
        )}
      </div>
    </div>
  )
}

function explain(error: unknown): { message: string; code: string | null } {
  if (typeof error === 'string') return { message: error, code: null }
  const { message, code } = (error ?? {}) as { message?: unknown; code?: unknown }
  return {
    message: typeof message === 'string' && message ? message : texts.unknownError,
    code: typeof code === 'string' ? code : null,
  }
}

/** Something worth knowing that is not a failure. */
export function Notice({ tone = 'info', children }: { tone?: 'info' | 'warn'; children: ReactNode }) {
  const Icon = tone === 'warn' ? TriangleAlert : Info
  return (
    <div
      className={classes(
        'flex gap-2.5 rounded-lg border px-3 py-2.5 text-sm text-text',
        tone === 'warn' ? 'border-warn/25 bg-warn-soft' : 'bg-sunken',
      )}
    >
      <Icon
        aria-hidden
        className={classes('mt-0.5 size-4 shrink-0', tone === 'warn' ? 'text-warn' : 'text-muted')}
      />
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  )
}
