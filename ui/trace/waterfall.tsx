import { useVirtualizer } from '@tanstack/react-virtual'
import { FoldHorizontal, Maximize2, ZoomIn, ZoomOut } from 'lucide-react'
import { type KeyboardEvent, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react'
import { IconButton } from '../kit/button'
import { useMedia } from '../kit/use-media'
import { useNow } from '../kit/use-now'
import { useWidth } from '../kit/use-width'
import { texts as trace } from '../texts/trace'
import { Axis } from './axis'
import { shortDuration } from './format'
import { moved } from './keys'
import { SpanRow } from './row'
import { MAX_ZOOM, MIN_ZOOM } from './scale'
import type { Span } from './span'
import { layOut, lengthNs, type Row } from './tree'
import { useFolding } from './use-folding'
import { useZoom } from './use-zoom'

const texts = trace.waterfall

const AXIS_PX = 28
/** Below this the names need the room of their signs. */
const NARROW_PX = 480
const ZOOM_STEP = 2
/** How often open spans grow: often enough to look alive, rare enough to cost nothing. */
const GROW_MS = 100

interface WaterfallProps {
  spans: readonly Span[]
  selected: string | null
  onSelect: (id: string | null) => void
  /** Enter on the selected span. */
  onOpen: () => void
}

/** The spans of a run over time. It is one tree to the keyboard and to screen readers. */
export function Waterfall({ spans, selected, onSelect, onOpen }: WaterfallProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const idBase = useId()
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set())
  const tree = useMemo(() => layOut(spans, collapsed), [spans, collapsed])
  const length = lengthNs(tree, useNow(tree.open, GROW_MS))
  const { gaps, folded, timeline, foldGap, foldGaps } = useFolding(spans, tree, length)

  const width = useWidth(scroller)
  const rowPx = useMedia('(pointer: coarse)') ? 36 : 28
  const labelWidth = Math.round(Math.min(300, Math.max(140, width * 0.3)))
  const visiblePx = Math.max(1, width - labelWidth)
  const { zoom, zoomBy, zoomAround, fitTo, reset } = useZoom({ scroller, labelWidth, width: visiblePx })
  const axisPx = visiblePx * zoom

  const virtual = useVirtualizer({
    count: tree.rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 10,
    paddingStart: AXIS_PX,
    scrollPaddingStart: AXIS_PX,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: `virtual` is the same object for good
  useEffect(() => virtual.measure(), [rowPx])

  const index = useMemo(() => tree.rows.findIndex(({ span }) => span.id === selected), [tree, selected])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new selection scrolls, not a growing list
  useEffect(() => {
    if (index >= 0) virtual.scrollToIndex(index)
  }, [selected])

  const toggle = useCallback((id: string) => {
    setCollapsed((known) => {
      const next = new Set(known)
      if (!next.delete(id)) next.add(id)
      return next
    })
  }, [])
  const fitRow = useCallback(
    (row: Row) => fitTo(timeline.place(row.startNs), timeline.place(row.endNs ?? length), timeline.lengthNs),
    [fitTo, length, timeline],
  )

  /** Buttons and keys have no pointer to zoom at: they go for the chosen span, else for the middle. */
  function zoomStep(factor: number) {
    const row = tree.rows[index]
    if (row && length > 0) {
      const middle = (timeline.place(row.startNs) + timeline.place(row.endNs ?? length)) / 2
      zoomAround(factor, middle / timeline.lengthNs)
    } else zoomBy(factor)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const move = moved(tree.rows, index, event.key)
    if (move?.kind === 'toggle') toggle(move.id)
    else if (move) onSelect(move.id)
    else if (!act(event.key)) return
    event.preventDefault()
  }

  /** Whether the key means something beyond moving. */
  function act(key: string): boolean {
    switch (key) {
      case 'Enter':
        onOpen()
        return true
      case 'Escape':
        onSelect(null)
        return true
      case '+':
      case '=':
        zoomStep(ZOOM_STEP)
        return true
      case '-':
        zoomStep(1 / ZOOM_STEP)
        return true
      case '0':
        reset()
        return true
      case 'i':
        foldGaps()
        return true
      case 'f':
        if (tree.rows[index]) fitRow(tree.rows[index])
        return true
      default:
        return false
    }
  }

  const items = virtual.getVirtualItems()
  const activeShown = items.some((item) => item.index === index)
  return (
    <div className="flex min-w-0 flex-col">
      <Toolbar
        zoom={zoom}
        summary={texts.summary(tree.rows.length, shortDuration(length))}
        idle={gaps.length === 0 ? null : folded.length === gaps.length ? 'folded' : 'open'}
        onFold={foldGaps}
        onZoom={zoomStep}
        onReset={reset}
      />
      <div
        ref={scroller}
        role="tree"
        tabIndex={0}
        aria-label={texts.title}
        aria-activedescendant={activeShown ? `${idBase}-${index}` : undefined}
        className="relative max-h-[min(60dvh,36rem)] min-h-24 overflow-auto overscroll-x-contain border-t focus-visible:outline-offset-[-2px]"
        onKeyDown={onKeyDown}
        onDoubleClick={reset}
      >
        <div
          role="presentation"
          className="relative"
          style={{ height: virtual.getTotalSize(), width: labelWidth + axisPx }}
        >
          <div role="presentation" className="contents">
            <Axis
              lengthNs={length}
              timeline={timeline}
              gaps={gaps}
              folded={folded}
              onFold={foldGap}
              axisPx={axisPx}
              labelWidth={labelWidth}
            />
          </div>
          {items.map((item) => {
            const row = tree.rows[item.index]!
            return (
              <SpanRow
                key={row.span.id}
                id={`${idBase}-${item.index}`}
                row={row}
                selected={item.index === index}
                lengthNs={length}
                timeline={timeline}
                axisPx={axisPx}
                labelWidth={labelWidth}
                narrow={width < NARROW_PX}
                top={item.start}
                height={rowPx}
                onSelect={onSelect}
                onToggle={toggle}
                onFit={fitRow}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

interface ToolbarProps {
  zoom: number
  summary: string
  /** Whether stretches in which nothing worked are drawn short; null where there are none. */
  idle: 'folded' | 'open' | null
  onFold: () => void
  onZoom: (factor: number) => void
  onReset: () => void
}

const Toolbar = ({ zoom, summary, idle, onFold, onZoom, onReset }: ToolbarProps) => (
  <div className="flex items-center gap-1 px-3 py-1.5">
    <span className="min-w-0 flex-1 truncate text-xs text-muted">{summary}</span>
    {idle && (
      <IconButton
        size="sm"
        label={idle === 'folded' ? texts.showIdle : texts.foldIdle}
        icon={<FoldHorizontal aria-hidden className="size-3.5" />}
        aria-pressed={idle === 'folded'}
        onClick={onFold}
      />
    )}
    <span className="px-1 text-xs text-muted" role="status" aria-label={texts.zoom(format(zoom))}>
      {format(zoom)}
    </span>
    <IconButton
      size="sm"
      label={texts.zoomOut}
      icon={<ZoomOut aria-hidden className="size-3.5" />}
      disabled={zoom <= MIN_ZOOM}
      onClick={() => onZoom(1 / ZOOM_STEP)}
    />
    <IconButton
      size="sm"
      label={texts.zoomIn}
      icon={<ZoomIn aria-hidden className="size-3.5" />}
      disabled={zoom >= MAX_ZOOM}
      onClick={() => onZoom(ZOOM_STEP)}
    />
    <IconButton
      size="sm"
      label={texts.fit}
      icon={<Maximize2 aria-hidden className="size-3.5" />}
      disabled={zoom === MIN_ZOOM}
      onClick={onReset}
    />
  </div>
)

const format = (zoom: number) => `${zoom < 10 ? zoom.toFixed(1).replace(/\.0$/, '') : Math.round(zoom)}×`
