import { type DragEvent, useState } from 'react'
import { NODE_TYPES, type NodeTypeName } from '../../src/graph/node-types'
import { OFFERED } from '../canvas/edit/starters'
import { DRAGGED_TYPE } from '../canvas/graph-canvas'
import { iconOf } from '../canvas/icons'
import { Input } from '../kit/input'
import { Tooltip } from '../kit/tooltip'
import { texts as editor } from '../texts/editor'

const texts = editor.palette

/** What a graph can be made of, in the order of the registry: dragged onto the canvas, or added by a click. */
export function Palette({ onAdd }: { onAdd: (type: NodeTypeName) => void }) {
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const shown = OFFERED.filter((type) =>
    `${type} ${NODE_TYPES[type].label} ${NODE_TYPES[type].description}`.toLowerCase().includes(wanted),
  )
  return (
    <aside
      aria-label={texts.title}
      className="hidden w-48 shrink-0 flex-col gap-2 overflow-y-auto border-r bg-surface p-2 md:flex"
    >
      <Input
        type="search"
        aria-label={texts.search}
        placeholder={texts.placeholder}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <ul className="flex flex-col gap-0.5">
        {shown.map((type) => (
          <PaletteItem key={type} type={type} onAdd={onAdd} />
        ))}
      </ul>
      {shown.length === 0 && <p className="px-2 py-4 text-center text-xs text-muted">{texts.empty}</p>}
    </aside>
  )
}

function PaletteItem({ type, onAdd }: { type: NodeTypeName; onAdd: (type: NodeTypeName) => void }) {
  const { label, description } = NODE_TYPES[type]
  const Icon = iconOf(type)
  function drag(event: DragEvent) {
    event.dataTransfer.setData(DRAGGED_TYPE, type)
    event.dataTransfer.effectAllowed = 'copy'
  }
  return (
    <li>
      <Tooltip label={description} side="right">
        <button
          type="button"
          draggable
          onDragStart={drag}
          onClick={() => onAdd(type)}
          className="flex h-8 w-full cursor-grab items-center gap-2.5 rounded-md px-2 text-left text-sm text-text transition-colors hover:bg-hover active:cursor-grabbing"
        >
          <Icon aria-hidden className="size-4 shrink-0 text-muted" />
          <span className="truncate">{label}</span>
        </button>
      </Tooltip>
    </li>
  )
}
