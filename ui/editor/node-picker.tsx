import { Command } from 'cmdk'
import { Popover } from 'radix-ui'
import { NODE_TYPES, type NodeTypeName } from '../../src/graph/node-types'
import { iconOf } from '../canvas/icons'
import type { Position } from '../canvas/view'
import { texts } from '../texts/editor'

interface NodePickerProps {
  title: string
  types: readonly NodeTypeName[]
  /** Where on the screen. */
  at: Position
  put: (type: NodeTypeName) => void
  onClose: () => void
}

/** Which node comes here: by typing a piece of its name, or by the arrow keys. */
export const NodePicker = ({ title, types, at, put, onClose }: NodePickerProps) => (
  <Popover.Root open onOpenChange={(open) => !open && onClose()}>
    <Popover.Anchor asChild>
      <span aria-hidden className="fixed size-0" style={{ left: at.x, top: at.y }} />
    </Popover.Anchor>
    <Popover.Portal>
      <Popover.Content
        aria-label={title}
        side="right"
        align="start"
        sideOffset={8}
        collisionPadding={8}
        onCloseAutoFocus={(event) => event.preventDefault()}
        className="z-50 w-72 max-w-[calc(100vw-1rem)] animate-fade-in overflow-hidden rounded-lg border bg-raised shadow-raised outline-none"
      >
        <Command label={title} loop>
          <Command.Input
            placeholder={title}
            className="h-10 w-full border-b bg-transparent px-3 text-sm outline-none"
          />
          <Command.List
            label={title}
            className="max-h-[min(20rem,50dvh)] overflow-y-auto overscroll-contain p-1"
          >
            <Command.Empty className="px-3 py-6 text-center text-sm text-muted">
              {texts.placing.empty}
            </Command.Empty>
            {types.map((type) => (
              <Item
                key={type}
                type={type}
                onPick={() => {
                  put(type)
                  onClose()
                }}
              />
            ))}
          </Command.List>
        </Command>
      </Popover.Content>
    </Popover.Portal>
  </Popover.Root>
)

function Item({ type, onPick }: { type: NodeTypeName; onPick: () => void }) {
  const { label, description } = NODE_TYPES[type]
  const Icon = iconOf(type)
  return (
    <Command.Item
      value={type}
      keywords={[label, description]}
      onSelect={onPick}
      className="flex cursor-default items-start gap-2.5 rounded-md px-2 py-1.5 select-none data-[selected=true]:bg-hover pointer-coarse:py-2.5"
    >
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
      <span className="min-w-0">
        <span className="block text-sm">{label}</span>
        <span className="block text-xs text-muted">{description}</span>
      </span>
    </Command.Item>
  )
}
