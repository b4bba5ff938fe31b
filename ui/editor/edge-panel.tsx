import { Trash2 } from 'lucide-react'
import type { AgentDocument, Edge } from '../../src/graph/ir'
import { NODE_TYPES, type NodeTypeName } from '../../src/graph/node-types'
import { BETWEEN } from '../canvas/edit/fits'
import { titleOf } from '../canvas/sentence'
import { Button } from '../kit/button'
import { Field } from '../kit/field'
import { Select } from '../kit/select'
import { Worded } from '../kit/worded'
import { texts as editor } from '../texts/editor'

const texts = editor.wire

interface EdgePanelProps {
  document: AgentDocument
  edge: Edge
  readOnly: boolean
  onInsert: (type: NodeTypeName) => void
  onRemove: () => void
}

/** One wire: what it carries, and what can be put on it. */
export function EdgePanel({ document, edge, readOnly, onInsert, onRemove }: EdgePanelProps) {
  const nameOf = (id: string) => {
    const node = document.nodes.find((one) => one.id === id)
    return node ? titleOf(node) : id
  }
  return (
    <div className="flex flex-col gap-4 p-4 text-sm">
      <p>
        <Worded
          text={texts.fromTo}
          with={{
            source: <b>{nameOf(edge.source)}</b>,
            sourcePort: edge.sourceHandle,
            target: <b>{nameOf(edge.target)}</b>,
            targetPort: edge.targetHandle,
          }}
        />{' '}
        {texts.carries[edge.channel]}
      </p>
      {!readOnly && edge.channel !== 'tool' && (
        <Field label={texts.insert}>
          <Select
            value=""
            placeholder={texts.insertPlaceholder}
            onChange={onInsert}
            options={BETWEEN.map((type) => ({ value: type, label: NODE_TYPES[type].label }))}
          />
        </Field>
      )}
      {!readOnly && (
        <Button className="self-start" icon={<Trash2 aria-hidden className="size-3.5" />} onClick={onRemove}>
          {texts.remove}
        </Button>
      )}
    </div>
  )
}
