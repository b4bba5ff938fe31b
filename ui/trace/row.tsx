import {
  Bot,
  Box,
  ChevronRight,
  CircleAlert,
  Clock,
  Cpu,
  LogIn,
  LogOut,
  type LucideIcon,
  Network,
  Wrench,
} from 'lucide-react'
import { memo } from 'react'
import { classes } from '../kit/classes'
import { texts as trace } from '../texts/trace'
import { Bar } from './bar'
import type { Span } from './span'
import type { Timeline } from './timeline'
import type { Row } from './tree'

const texts = trace.waterfall

const INDENT_PX = 14
const NARROW_INDENT_PX = 8

interface SpanRowProps {
  row: Row
  id: string
  selected: boolean
  lengthNs: number
  timeline: Timeline
  axisPx: number
  labelWidth: number
  narrow: boolean
  top: number
  height: number
  onSelect: (id: string) => void
  onToggle: (id: string) => void
  onFit: (row: Row) => void
}

/** One span: its name, which stays at the left, and its bar. */
export const SpanRow = memo(function SpanRow({
  row,
  id,
  selected,
  lengthNs,
  timeline,
  axisPx,
  labelWidth,
  narrow,
  top,
  height,
  onSelect,
  onToggle,
  onFit,
}: SpanRowProps) {
  const { span } = row
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around the rows handles the keys for all of them
    // biome-ignore lint/a11y/useFocusableInteractive: the tree keeps the focus and names its active row
    <div
      role="treeitem"
      id={id}
      data-span={span.id}
      aria-level={row.depth + 1}
      aria-selected={selected}
      aria-expanded={row.childCount > 0 ? !row.collapsed : undefined}
      className={classes(
        'group absolute top-0 left-0 cursor-default',
        selected ? 'bg-accent-soft' : 'hover:bg-sunken/60',
      )}
      style={{ transform: `translateY(${top}px)`, height, width: labelWidth + axisPx }}
      onClick={() => onSelect(span.id)}
      onDoubleClick={(event) => {
        event.stopPropagation()
        onFit(row)
      }}
    >
      <div
        className={classes(
          'sticky left-0 z-10 flex h-full items-center gap-1.5 border-r pr-2',
          selected
            ? 'bg-accent-soft shadow-[inset_2px_0_0_var(--accent)]'
            : 'bg-surface group-hover:bg-sunken',
        )}
        style={{
          width: labelWidth,
          paddingLeft: (narrow ? 2 : 8) + row.depth * (narrow ? NARROW_INDENT_PX : INDENT_PX),
        }}
      >
        <Fold row={row} onToggle={onToggle} />
        {(!narrow || span.status === 'err') && <Mark span={span} />}
        <span
          className={classes('truncate text-xs', row.depth === 0 ? 'font-medium' : '')}
          title={titleOf(span)}
        >
          {titleOf(span)}
        </span>
        <span className="sr-only">{spoken(row)}</span>
      </div>
      <Bar row={row} lengthNs={lengthNs} timeline={timeline} axisPx={axisPx} labelWidth={labelWidth} />
    </div>
  )
})

const Fold = ({ row, onToggle }: { row: Row; onToggle: (id: string) => void }) =>
  row.childCount === 0 ? (
    <span className="w-3.5 shrink-0" />
  ) : (
    // A mouse's way to fold; the keyboard's is the arrow keys of the tree.
    <span
      aria-hidden
      className="-my-1 flex size-3.5 shrink-0 items-center justify-center rounded-sm text-faint hover:text-text"
      onClick={(event) => {
        event.stopPropagation()
        onToggle(row.span.id)
      }}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <ChevronRight className={classes('size-3 transition-transform', !row.collapsed && 'rotate-90')} />
    </span>
  )

function Mark({ span }: { span: Span }) {
  if (span.status === 'err') return <CircleAlert aria-hidden className="size-3.5 shrink-0 text-bad" />
  const Icon = iconOf(span)
  return (
    <Icon
      aria-hidden
      className={classes('size-3.5 shrink-0', span.status === 'skipped' ? 'text-faint' : 'text-muted')}
    />
  )
}

const BY_TYPE: Record<string, LucideIcon> = {
  llm: Bot,
  input: LogIn,
  output: LogOut,
  tool: Wrench,
  mcp_tool: Wrench,
}

function iconOf({ phase, node_id, node_type }: Span): LucideIcon {
  if (phase === 'queue_wait') return Clock
  if (phase?.startsWith('model.generate')) return Cpu
  if (phase?.startsWith('tool.')) return Wrench
  if (node_id === null) return Network
  return BY_TYPE[node_type ?? ''] ?? Box
}

/** The root is named after its run, which everybody looking at it knows. */
export const titleOf = (span: Span) => (span.parent_span_id === null ? texts.run : span.name)

/** Between the name and the duration, for those who see neither colour nor fold. */
const spoken = ({ span, childCount, collapsed }: Row) =>
  ` ${texts.spoken[span.status]} ${collapsed ? `${texts.folded(childCount)} ` : ''}`
