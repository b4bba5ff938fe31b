import { X } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { IconButton } from '../kit/button'
import { classes } from '../kit/classes'
import { Dialog } from '../kit/dialog'
import { ErrorNotice } from '../kit/notices'
import { SkeletonRows } from '../kit/placeholders'
import { useMedia } from '../kit/use-media'
import { LoadLine } from '../registries/load-line'
import { texts as common } from '../texts/common'
import { texts as trace } from '../texts/trace'
import { useTrace } from './data'
import { titleOf } from './row'
import type { Span } from './span'
import { SpanDetails, SpanStatusBadge } from './span-panel'
import { deepestError, layOut, type Row } from './tree'
import { Waterfall } from './waterfall'

const texts = trace.pane

interface TracePaneProps {
  runId: string
  /** Id of the span whose details show. */
  selected: string | null
  onSelect: (id: string | null) => void
  /** What one can do from a step, below its details. */
  stepActions?: (row: Row) => ReactNode
  /** Above the timeline, made of the same spans. */
  above?: (spans: readonly Span[]) => ReactNode
  /** Below the timeline. */
  children?: ReactNode
}

/** The waterfall of a run, with the chosen span's details beside it, or over it where there is no room. */
export function TracePane({ runId, selected, onSelect, stepActions, above, children }: TracePaneProps) {
  const { spans, data, error, refetch } = useTrace(runId)
  const wide = useMedia('(min-width: 64rem)')
  const panel = useRef<HTMLElement>(null)
  useFirstError(spans, data?.status, wide && selected === null, onSelect)
  const row = useMemo(
    () => (selected === null ? undefined : layOut(spans).rows.find(({ span }) => span.id === selected)),
    [spans, selected],
  )
  const details = row && (
    <SpanDetails key={row.span.id} runId={runId} row={row}>
      {stepActions?.(row)}
    </SpanDetails>
  )
  return (
    <div className={classes('grid min-w-0 gap-4', row && wide && 'grid-cols-[minmax(0,1fr)_24rem]')}>
      <div className="flex min-w-0 flex-col gap-4">
        {above?.(spans)}
        <section
          aria-label={texts.title}
          className="min-w-0 overflow-hidden rounded-xl border bg-surface shadow-card"
        >
          <Loads spans={spans} />
          {error && spans.length === 0 ? (
            <div className="p-4">
              <ErrorNotice title={texts.failed} error={error} onRetry={() => void refetch()} />
            </div>
          ) : !data ? (
            <SkeletonRows rows={4} label={texts.loading} />
          ) : spans.length === 0 ? (
            <p className="p-4 text-sm text-muted">{texts.empty}</p>
          ) : (
            <Waterfall
              spans={spans}
              selected={selected}
              onSelect={onSelect}
              onOpen={() => panel.current?.focus()}
            />
          )}
        </section>
        {children}
      </div>
      {row && wide && (
        <SidePanel span={row.span} panel={panel} onClose={() => onSelect(null)}>
          {details}
        </SidePanel>
      )}
      {!wide && (
        <Dialog
          open={row !== undefined}
          onOpenChange={(open) => !open && onSelect(null)}
          size="sheet"
          title={<PanelTitle span={row?.span} />}
        >
          {details}
        </Dialog>
      )}
    </div>
  )
}

/**
 * A failed run opens on the step where its failure began, once: whoever closes the details has seen them. On a phone
 * they would cover what one came to see.
 */
function useFirstError(
  spans: readonly Span[],
  status: string | undefined,
  wanted: boolean,
  onSelect: (id: string) => void,
) {
  const done = useRef(false)
  useEffect(() => {
    if (done.current || status === undefined) return
    done.current = true
    const error = wanted && status === 'failed' ? deepestError(spans) : null
    if (error) onSelect(error.id)
  }, [spans, status, wanted, onSelect])
}

const PanelTitle = ({ span }: { span: Span | undefined }) =>
  span && (
    <span className="flex min-w-0 items-center gap-2">
      <span className="truncate">{titleOf(span)}</span>
      <SpanStatusBadge status={span.status} />
    </span>
  )

interface SidePanelProps {
  span: Span
  panel: React.RefObject<HTMLElement | null>
  onClose: () => void
  children: ReactNode
}

function SidePanel({ span, panel, onClose, children }: SidePanelProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another span is read from its beginning
  useEffect(() => {
    // Newer browsers return a promise here, which an effect must not.
    panel.current?.scrollTo(0, 0)
  }, [span.id])
  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-label={texts.details(titleOf(span))}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
      className="sticky top-4 flex max-h-[calc(100dvh-2rem)] min-w-0 flex-col overflow-y-auto rounded-xl border bg-surface shadow-card outline-none"
    >
      <header className="sticky top-0 z-10 flex items-center justify-between gap-2 border-b bg-surface px-4 py-2">
        <h2 className="min-w-0 text-sm font-semibold">
          <PanelTitle span={span} />
        </h2>
        <IconButton
          size="sm"
          label={common.close}
          icon={<X aria-hidden className="size-4" />}
          onClick={onClose}
        />
      </header>
      <div className="p-4">{children}</div>
    </section>
  )
}

/** A model that is asked, and that has to be loaded first, keeps its run waiting. */
function Loads({ spans }: { spans: readonly Span[] }) {
  const asked = spans.flatMap(({ status, attributes }) => {
    const model = attributes['gen_ai.request.model']
    return status === 'running' && typeof model === 'string' ? model : []
  })
  return asked.length > 0 && <LoadLine models={asked} className="border-b px-4 py-2" />
}
