import { Handle, type NodeProps, Position } from '@xyflow/react'
import { CircleAlert, CircleCheck, CircleX, Pin } from 'lucide-react'
import { memo } from 'react'
import type { GraphNode, Port } from '../../src/graph/ir'
import { isNodeType, NODE_TYPES } from '../../src/graph/node-types'
import { classes } from '../kit/classes'
import { Spinner } from '../kit/spinner'
import { texts } from '../texts/canvas'
import type { CanvasNode } from './adapter'
import { type NodeRun, useFacts } from './facts'
import { portY } from './geometry'
import { iconOf } from './icons'
import { type Piece, sentenceOf, titleOf } from './sentence'

/** One step of the graph: what it is called, what it does as a sentence, and its ports. Drawn to `geometry.ts`. */
export const NodeView = memo(function NodeView({ data: { node }, selected }: NodeProps<CanvasNode>) {
  const { document, problems, runs, pinned } = useFacts()
  const run = runs.get(node.id)
  const wrong = problems.get(node.id)
  return (
    <div
      data-status={run?.status}
      className={classes(
        'step group relative h-full w-full rounded-xl border bg-surface',
        selected && 'outline-2 outline-offset-1 outline-accent',
        wrong ? 'border-bad' : looksOf(run) || 'border-line-strong',
        run?.status === 'skipped' && 'opacity-55',
      )}
    >
      <div className="flex h-9 items-center gap-2 px-3 pt-1">
        <TypeIcon type={node.type} />
        <span className="step-title min-w-0 flex-1 truncate text-sm font-semibold">{titleOf(node)}</span>
        {pinned === node.id && <Pin aria-label={texts.node.kept} className="size-3.5 shrink-0 text-accent" />}
        {wrong && (
          <span className="flex shrink-0 items-center gap-1 text-xs font-medium text-bad">
            <CircleAlert aria-hidden className="size-3.5" />
            <span className="sr-only">{texts.node.problems} </span>
            {wrong.length}
          </span>
        )}
        <RunMark run={run} />
      </div>
      <p className="step-detail line-clamp-2 h-9 px-3 text-xs break-words text-muted">
        {sentenceOf(node, document).map((piece, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a sentence have no other name
          <PieceView key={index} piece={piece} />
        ))}
      </p>
      <Ports node={node} side="in" />
      <Ports node={node} side="out" />
      <Result run={run} />
    </div>
  )
})

function TypeIcon({ type }: { type: string }) {
  const Icon = iconOf(type)
  const label = isNodeType(type) ? NODE_TYPES[type].label : type
  return (
    <span className="flex size-6 shrink-0 items-center justify-center rounded-md bg-sunken text-muted">
      <Icon aria-hidden className="size-3.5" />
      <span className="sr-only">{label}</span>
    </span>
  )
}

function PieceView({ piece }: { piece: Piece }) {
  if ('text' in piece) return piece.text
  if ('value' in piece) return <b className="font-medium text-text">{piece.value}</b>
  return <em className="rounded-sm bg-warn-soft px-1 text-warn not-italic">{piece.slot}</em>
}

const LOOKS: Record<NodeRun['status'], string> = {
  running: 'border-accent ring-4 ring-accent/25',
  ok: 'border-good-dot',
  err: 'border-bad',
  skipped: 'border-dashed border-line-strong',
}
const looksOf = (run: NodeRun | undefined) => run && LOOKS[run.status]

function RunMark({ run }: { run: NodeRun | undefined }) {
  switch (run?.status) {
    case 'running':
      return (
        <span className="shrink-0 text-accent">
          <Spinner />
          <span className="sr-only">{texts.node.running}</span>
        </span>
      )
    case 'ok':
      return <CircleCheck aria-label={texts.node.done} className="size-4 shrink-0 text-good" />
    case 'err':
      return <CircleX aria-label={texts.node.failed} className="size-4 shrink-0 text-bad" />
    default:
      return null
  }
}

const Ports = ({ node, side }: { node: GraphNode; side: 'in' | 'out' }) =>
  node.ports[side].map((port, index) => (
    <div
      key={port.id}
      className={classes(
        'absolute flex h-6 max-w-[calc(50%-0.5rem)] items-center',
        side === 'in' ? 'left-0' : 'right-0 justify-end',
      )}
      style={{ top: portY(index) - 12 }}
    >
      <Handle
        id={port.id}
        type={side === 'in' ? 'target' : 'source'}
        position={side === 'in' ? Position.Left : Position.Right}
        className={classes('port', roleOf(port))}
        title={titleOfPort(port, side)}
      />
      <span className="step-detail min-w-0 truncate px-3 text-2xs text-faint">{port.id}</span>
    </div>
  ))

const roleOf = ({ role, type }: Port) => (type === 'error' ? 'port-error' : `port-${role}`)

function titleOfPort({ id, role, type, required }: Port, side: 'in' | 'out'): string {
  const carries = texts.port[type === 'error' ? 'error' : role]
  const isNeeded = required && side === 'in' && role === 'data'
  return isNeeded ? texts.port.required(id, carries) : texts.port.title(id, carries)
}

/** What it put out in the last run, below it. */
function Result({ run }: { run: NodeRun | undefined }) {
  const text = run?.error ?? run?.output
  if (!text) return null
  return (
    <p
      data-output
      className={classes(
        'step-detail absolute inset-x-2 top-full mt-1 line-clamp-2 rounded-md border bg-raised px-2 py-1 text-2xs break-words',
        run?.error ? 'text-bad' : 'text-muted',
      )}
    >
      {text}
    </p>
  )
}
