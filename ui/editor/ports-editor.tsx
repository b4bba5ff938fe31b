import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { AgentDocument, GraphNode, Port } from '../../src/graph/ir'
import { addPort, removePort, renamePort, type Side } from '../canvas/edit/ports'
import { Button, IconButton } from '../kit/button'
import { Input } from '../kit/input'
import { texts as editor } from '../texts/editor'

const texts = editor.ports

interface PortsEditorProps {
  document: AgentDocument
  node: GraphNode
  readOnly: boolean
  onEdit: (next: AgentDocument, to?: string | null) => void
}

/** Types whose inputs, or outputs, their author decides about; of the others they are what they are. */
const MANY_IN = new Set(['llm', 'transform', 'tool', 'mcp_tool', 'rag', 'subgraph'])
const MANY_OUT = new Set(['router'])

/** The branches of a router, and the inputs of what joins several. */
export function PortsEditor(props: PortsEditorProps) {
  const { type } = props.node
  return (
    <>
      {MANY_OUT.has(type) && <PortList {...props} side="out" />}
      {MANY_IN.has(type) && <PortList {...props} side="in" />}
    </>
  )
}

interface PortListProps extends PortsEditorProps {
  side: Side
}

function PortList({ document, node, readOnly, onEdit, side }: PortListProps) {
  const { title, add, hint } = texts[side]
  const ports = node.ports[side].filter(({ role, type }) => role === 'data' && type !== 'error')
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-1.5">
      <h3 className="text-sm font-medium">{title}</h3>
      <ul className="flex flex-col gap-1.5">
        {ports.map((port) => (
          <PortRow
            key={port.id}
            port={port}
            readOnly={readOnly}
            onRename={(next) => onEdit(renamePort(document, node.id, side, port.id, next))}
            onRemove={
              ports.length > 1 ? () => onEdit(removePort(document, node.id, side, port.id)) : undefined
            }
          />
        ))}
      </ul>
      {!readOnly && (
        <Button
          size="sm"
          variant="ghost"
          className="self-start"
          icon={<Plus aria-hidden className="size-3.5" />}
          onClick={() => onEdit(addPort(document, node.id, side))}
        >
          {add}
        </Button>
      )}
      <p className="text-xs text-muted">{hint}</p>
    </section>
  )
}

interface PortRowProps {
  port: Port
  readOnly: boolean
  onRename: (next: string) => void
  onRemove: (() => void) | undefined
}

function PortRow({ port, readOnly, onRename, onRemove }: PortRowProps) {
  const [name, setName] = useState<string | null>(null)
  function done() {
    if (name !== null && name.trim() !== port.id) onRename(name.trim())
    setName(null)
  }
  return (
    <li className="flex items-center gap-1">
      <Input
        aria-label={texts.name(port.id)}
        className="font-mono text-xs"
        value={name ?? port.id}
        readOnly={readOnly}
        onChange={({ target }) => setName(target.value)}
        onBlur={done}
        onKeyDown={({ key }) => key === 'Enter' && done()}
      />
      {!readOnly && onRemove && (
        <IconButton
          size="sm"
          label={texts.remove(port.id)}
          icon={<Trash2 aria-hidden className="size-3.5" />}
          onClick={onRemove}
        />
      )}
    </li>
  )
}
