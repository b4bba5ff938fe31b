import type { AgentDocument } from '../../src/graph/ir'
import { isObject } from '../../src/graph/read'

export interface Position {
  x: number
  y: number
}

/** The layout block of a document: `{nodes: {<id>: {position, …}}, viewport?}` (interface, 12). What else is in it stays. */
const nodesOf = ({ view }: Pick<AgentDocument, 'view'>): Record<string, unknown> =>
  isObject(view?.nodes) ? view.nodes : {}

export const entryOf = (document: Pick<AgentDocument, 'view'>, id: string): unknown => {
  const nodes = nodesOf(document)
  return Object.hasOwn(nodes, id) ? nodes[id] : undefined
}

/** Where its author put a node; nothing where no one did. */
export function positionIn(entry: unknown): Position | undefined {
  const position = isObject(entry) ? entry.position : undefined
  return isObject(position) && isCoordinate(position.x) && isCoordinate(position.y)
    ? { x: position.x, y: position.y }
    : undefined
}

const isCoordinate = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

export function place(document: AgentDocument, positions: Record<string, Position>): AgentDocument {
  const moved = Object.entries(positions).map(([id, position]) => {
    const entry = entryOf(document, id)
    return [id, { ...(isObject(entry) ? entry : {}), position }]
  })
  if (moved.length === 0) return document
  const nodes = Object.fromEntries([...Object.entries(nodesOf(document)), ...moved])
  return { ...document, view: { ...document.view, nodes } }
}

export function unplace(document: AgentDocument, ids: ReadonlySet<string>): AgentDocument {
  const entries = Object.entries(nodesOf(document))
  const left = entries.filter(([id]) => !ids.has(id))
  if (left.length === entries.length) return document
  return { ...document, view: { ...document.view, nodes: Object.fromEntries(left) } }
}
