import { Maximize, Minus, Plus, Redo2, SquarePlus, Undo2, WandSparkles } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../kit/button'
import { texts } from '../texts/editor'
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
    icon: ReactNode,
    more: { disabled?: boolean; pending?: boolean } = {},
  ) => (
    <IconButton
      label={`${texts.commands[command]} (${keysOf(command).join(' ')})`}
      icon={icon}
      onClick={() => run(command)}
      {...more}
    />
  )
  return (
    <div
      role="toolbar"
      aria-label={texts.canvas.title}
      className="flex flex-wrap rounded-lg border bg-raised p-0.5 shadow-card"
    >
      {!readOnly && (
        <>
          {button('add', <SquarePlus aria-hidden className="size-4" />)}
          {button('undo', <Undo2 aria-hidden className="size-4" />, { disabled: !canUndo })}
          {button('redo', <Redo2 aria-hidden className="size-4" />, { disabled: !canRedo })}
          {button('tidy', <WandSparkles aria-hidden className="size-4" />, { pending: tidying })}
        </>
      )}
      <IconButton
        label={texts.canvas.zoomOut}
        icon={<Minus aria-hidden className="size-4" />}
        onClick={() => onZoom('out')}
      />
      <IconButton
        label={texts.canvas.zoomIn}
        icon={<Plus aria-hidden className="size-4" />}
        onClick={() => onZoom('in')}
      />
      {button('fit', <Maximize aria-hidden className="size-4" />)}
    </div>
  )
}
