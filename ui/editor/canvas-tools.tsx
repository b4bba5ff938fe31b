import { Maximize, Minus, Plus, Redo2, SquarePlus, Undo2, WandSparkles } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../kit/button'
import { type Command, keysOf } from './shortcuts'

interface CanvasToolsProps {
  run: (command: Command) => void
  onZoom: (way: 'in' | 'out') => void
  canUndo: boolean
  canRedo: boolean
  tidying: boolean
  readOnly: boolean
}

/** What one does to the canvas as a whole. */
export function CanvasTools({ run, onZoom, canUndo, canRedo, tidying, readOnly }: CanvasToolsProps) {
  const button = (
    command: Command,
    label: string,
    icon: ReactNode,
    more: { disabled?: boolean; pending?: boolean } = {},
  ) => (
    <IconButton
      label={`${label} (${keysOf(command).join(' ')})`}
      icon={icon}
      onClick={() => run(command)}
      {...more}
    />
  )
  return (
    <div
      role="toolbar"
      aria-label="Canvas"
      className="flex flex-wrap rounded-lg border bg-raised p-0.5 shadow-card"
    >
      {!readOnly && (
        <>
          {button('add', 'Add a node', <SquarePlus aria-hidden className="size-4" />)}
          {button('undo', 'Undo', <Undo2 aria-hidden className="size-4" />, { disabled: !canUndo })}
          {button('redo', 'Redo', <Redo2 aria-hidden className="size-4" />, { disabled: !canRedo })}
          {button('tidy', 'Tidy up', <WandSparkles aria-hidden className="size-4" />, { pending: tidying })}
        </>
      )}
      <IconButton
        label="Zoom out"
        icon={<Minus aria-hidden className="size-4" />}
        onClick={() => onZoom('out')}
      />
      <IconButton
        label="Zoom in"
        icon={<Plus aria-hidden className="size-4" />}
        onClick={() => onZoom('in')}
      />
      {button('fit', 'Show everything', <Maximize aria-hidden className="size-4" />)}
    </div>
  )
}
