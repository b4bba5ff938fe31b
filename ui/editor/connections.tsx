import { ArrowRight, X } from 'lucide-react'
import { useDeferredValue, useMemo } from 'react'
import type { AgentDocument, Edge, GraphNode } from '../../src/graph/ir'
import { connect, refusal, removeEdges, type Wire } from '../canvas/edit/edges'
import { titleOf } from '../canvas/sentence'
import { IconButton } from '../kit/button'
import { Select } from '../kit/select'
import { texts as editor } from '../texts/editor'

const texts = editor.wires

interface ConnectionsProps {
  document: AgentDocument
  node: GraphNode
  readOnly: boolean
  onEdit: (next: AgentDocument) => void
}

/** A choice of more nobody makes from a list; the canvas has them all. */
const MAX_CHOICES = 100

/** The wires of a node, for those who do not draw: what leads in, what leads out, and where more could lead. */
export function Connections({ document, node, readOnly, onEdit }: ConnectionsProps) {
  // What could be is looked up in every node: typing must not wait for it.
  const settled = useDeferredValue(document)
  const wires = document.edges.map((edge, place) => ({ edge, place }))
  const incoming = wires.filter(({ edge }) => edge.target === node.id)
  const outgoing = wires.filter(({ edge }) => edge.source === node.id)
  const nameOf = (id: string) => {
    const found = document.nodes.find((one) => one.id === id)
    return found ? titleOf(found) : id
  }
  const row = ({ edge, place }: { edge: Edge; place: number }) => (
    <li key={place} className="flex min-w-0 items-center gap-1.5 text-xs">
      <span className="truncate">
        {nameOf(edge.source)} · {edge.sourceHandle}
      </span>
      <ArrowRight aria-label={texts.leadsTo} className="size-3 shrink-0 text-faint" />
      <span className="min-w-0 flex-1 truncate">
        {nameOf(edge.target)} · {edge.targetHandle}
      </span>
      {!readOnly && (
        <IconButton
          size="sm"
          label={texts.remove(nameOf(edge.source), nameOf(edge.target))}
          icon={<X aria-hidden className="size-3.5" />}
          onClick={() => onEdit(removeEdges(document, new Set([place])))}
        />
      )}
    </li>
  )
  return (
    <section aria-label={texts.title} className="flex min-w-0 flex-col gap-1.5">
      <h3 className="text-sm font-medium">{texts.title}</h3>
      {incoming.length + outgoing.length > 0 ? (
        <ul className="flex flex-col gap-0.5">{[...incoming, ...outgoing].map(row)}</ul>
      ) : (
        <p className="text-xs text-muted">{texts.empty}</p>
      )}
      {!readOnly &&
        node.ports.out.map(({ id }) => (
          <LeadTo
            key={id}
            document={settled}
            node={node}
            port={id}
            nameOf={nameOf}
            onChoose={(wire) => onEdit(connect(document, wire))}
          />
        ))}
    </section>
  )
}

interface LeadToProps extends Pick<ConnectionsProps, 'document' | 'node'> {
  onChoose: (wire: Wire) => void
  port: string
  nameOf: (id: string) => string
}

function LeadTo({ document, node, port, nameOf, onChoose }: LeadToProps) {
  const choices = useMemo(() => possible(document, node.id, port), [document, node.id, port])
  if (choices.length === 0) return null
  return (
    <Select
      aria-label={texts.lead(port)}
      value=""
      placeholder={texts.leadPlaceholder(port)}
      onChange={(choice) => onChoose(choices[Number(choice)]!)}
      options={choices.map(({ target, targetHandle }, index) => ({
        value: String(index),
        label: `${nameOf(target)} · ${targetHandle}`,
      }))}
    />
  )
}

function possible(document: AgentDocument, source: string, sourceHandle: string): Wire[] {
  const found: Wire[] = []
  for (const { id, ports } of document.nodes) {
    for (const into of ports.in) {
      const wire = { source, sourceHandle, target: id, targetHandle: into.id }
      if (refusal(document, wire) === null) found.push(wire)
      if (found.length >= MAX_CHOICES) return found
    }
  }
  return found
}
