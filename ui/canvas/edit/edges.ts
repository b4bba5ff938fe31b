import type { AgentDocument, Edge, Port } from '../../../src/graph/ir'
import { isToolish } from '../../../src/graph/tools'
import { texts as canvas } from '../../texts/canvas'
import { freshId } from './ids'

const texts = canvas.wire

export interface Wire {
  source: string
  sourceHandle: string
  target: string
  targetHandle: string
}

/** The channel follows from what it connects: nobody has to choose it (interface, 12). */
function channelOf(out: Port | undefined, into: Port | undefined): Edge['channel'] {
  if (out?.role === 'tool' || into?.role === 'tool') return 'tool'
  return out?.role === 'control' || into?.role === 'control' ? 'control' : 'data'
}

/** Why a wire cannot be: a sentence for the person who holds its end; null where it can. */
export function refusal(document: AgentDocument, wire: Wire): string | null {
  const { source, target } = ends(document, wire)
  const out = source?.ports.out.find(({ id }) => id === wire.sourceHandle)
  const into = target?.ports.in.find(({ id }) => id === wire.targetHandle)
  if (!source || !target || !out || !into) return texts.noPorts
  if (source === target) return texts.toItself
  const channel = channelOf(out, into)
  if (document.edges.some((edge) => sameWire(edge, wire))) return texts.connected
  if (channel === 'tool') return toolRefusal(document, wire, source.type, target.type, out, into)
  if (isCapability(document, source.id) || isCapability(document, target.id)) {
    return texts.fromCapability
  }
  if (channel === 'data' && document.edges.some((edge) => feeds(edge, wire))) {
    return texts.fed(wire.targetHandle)
  }
  return closesCycle(document, wire) ? texts.circle : null
}

function toolRefusal(
  document: AgentDocument,
  { source }: Wire,
  sourceType: string,
  targetType: string,
  out: Port,
  into: Port,
): string | null {
  if (!isToolish(sourceType)) return texts.noTool
  if (targetType !== 'llm' || into.role !== 'tool') return texts.notToTools
  if (out.role !== 'tool') return texts.notFromUse
  const isStep = document.edges.some(
    (edge) => edge.channel !== 'tool' && (edge.source === source || edge.target === source),
  )
  return isStep ? texts.fromStep : null
}

/** A wire that can be, or else the document as it was. */
export function connect(document: AgentDocument, wire: Wire): AgentDocument {
  if (refusal(document, wire) !== null) return document
  const { source, target } = ends(document, wire)
  const channel = channelOf(
    source?.ports.out.find(({ id }) => id === wire.sourceHandle),
    target?.ports.in.find(({ id }) => id === wire.targetHandle),
  )
  const id = freshId(
    `${wire.source}_${wire.target}`,
    document.edges.map((edge) => edge.id),
  )
  return { ...document, edges: [...document.edges, { id, ...wire, channel, condition: null }] }
}

/** By place, for ids of edges may repeat. */
export function removeEdges(document: AgentDocument, places: ReadonlySet<number>): AgentDocument {
  const edges = document.edges.filter((_, place) => !places.has(place))
  return edges.length === document.edges.length ? document : { ...document, edges }
}

/** Puts a node between the two that an edge connects, by the first ports of it that fit; else the document as it was. */
export function insertOnEdge(document: AgentDocument, place: number, id: string): AgentDocument {
  const edge = document.edges[place]
  const node = document.nodes.find((one) => one.id === id)
  if (!edge || !node || edge.channel === 'tool') return document
  const into = node.ports.in.find(({ role }) => role === 'data')
  const out = node.ports.out.find(({ role, type }) => role === 'data' && type !== 'error')
  if (!into || !out) return document
  const open = removeEdges(document, new Set([place]))
  const fed = connect(open, {
    source: edge.source,
    sourceHandle: edge.sourceHandle,
    target: id,
    targetHandle: into.id,
  })
  const through = connect(fed, {
    source: id,
    sourceHandle: out.id,
    target: edge.target,
    targetHandle: edge.targetHandle,
  })
  return fed === open || through === fed ? document : through
}

const ends = ({ nodes }: AgentDocument, { source, target }: Wire) => ({
  source: nodes.find(({ id }) => id === source),
  target: nodes.find(({ id }) => id === target),
})

const feeds = (edge: Edge, { target, targetHandle }: Wire) =>
  edge.channel === 'data' && edge.target === target && edge.targetHandle === targetHandle

const sameWire = (edge: Edge, wire: Wire) =>
  edge.source === wire.source &&
  edge.sourceHandle === wire.sourceHandle &&
  edge.target === wire.target &&
  edge.targetHandle === wire.targetHandle

const isCapability = ({ edges }: AgentDocument, id: string) =>
  edges.some(({ channel, source }) => channel === 'tool' && source === id)

/** Whether its target leads back to its source already. */
function closesCycle({ edges }: AgentDocument, { source, target }: Wire): boolean {
  const next = Map.groupBy(
    edges.filter(({ channel }) => channel !== 'tool'),
    (edge) => edge.source,
  )
  const seen = new Set([target])
  const open = [target]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const edge of next.get(id) ?? []) {
      if (edge.target === source) return true
      if (!seen.has(edge.target)) open.push(edge.target)
      seen.add(edge.target)
    }
  }
  return false
}
