import type { AgentDocument, GraphNode } from '../../../src/graph/ir'
import type { NodeTypeName } from '../../../src/graph/node-types'
import { isToolish } from '../../../src/graph/tools'
import { heightOf, WIDTH } from '../geometry'
import { entryOf, type Position, place, positionIn } from '../view'
import { insertOnEdge } from './edges'
import { BETWEEN, takeUp } from './fits'
import { clearOf } from './room'
import { type ListedModel, startNode } from './starters'

const STEP = WIDTH + 90
const BELOW = 50

/**
 * A new node where one most likely wants it after another: a tool is offered to a model; what can stand in a chain goes
 * into the chain, and what came next moves on; anything else is wired to the end.
 */
export function addAfter(
  document: AgentDocument,
  node: GraphNode,
  type: NodeTypeName,
  models: readonly ListedModel[],
): { document: AgentDocument; id: string } {
  const at = positionIn(entryOf(document, node.id)) ?? { x: 0, y: 0 }
  const tools = isToolish(type) ? node.ports.in.find(({ role }) => role === 'tool') : undefined
  if (tools) {
    const wanted = { x: at.x - STEP, y: at.y + heightOf(node) + BELOW }
    const made = startNode(document, type, clearOf(document, wanted), models)
    return {
      ...made,
      document: takeUp(made.document, { node: node.id, port: tools.id, from: 'in' }, made.id),
    }
  }
  const next = { x: at.x + STEP, y: at.y }
  const edge = BETWEEN.includes(type) ? onlyWireFrom(document, node) : -1
  if (edge >= 0) {
    const made = startNode(document, type, next, models)
    return { ...made, document: movedOn(insertOnEdge(made.document, edge, made.id), made.id, next) }
  }
  const made = startNode(document, type, clearOf(document, next), models)
  const out = node.ports.out.find(({ role, type: carries }) => role === 'data' && carries !== 'error')
  const loose = out && { node: node.id, port: out.id, from: 'out' as const }
  return { ...made, document: loose ? takeUp(made.document, loose, made.id) : made.document }
}

/** The place of the one wire with a value that leaves a node; -1 where there is none, or a choice. */
function onlyWireFrom({ edges }: AgentDocument, { id, ports }: GraphNode): number {
  const errors = new Set(ports.out.filter(({ type }) => type === 'error').map((port) => port.id))
  const found = edges.flatMap(({ source, sourceHandle, channel }, index) =>
    source === id && channel === 'data' && !errors.has(sourceHandle) ? [index] : [],
  )
  return found.length === 1 ? found[0]! : -1
}

/** Moves what comes after a new node to the right, where that stood in its place. */
function movedOn(document: AgentDocument, id: string, at: Position): AgentDocument {
  const after = new Set<string>()
  const open = [id]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    for (const { source, target } of document.edges) {
      if (source !== one || after.has(target)) continue
      after.add(target)
      open.push(target)
    }
  }
  const places = [...after].flatMap((one) => {
    const position = positionIn(entryOf(document, one))
    return position && position.x >= at.x - WIDTH
      ? [[one, { ...position, x: position.x + STEP }] as const]
      : []
  })
  return place(document, Object.fromEntries(places))
}
