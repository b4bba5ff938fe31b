import type { Draft, DraftEdge, DraftNode } from '../draft'
import type { AgentDocument } from '../ir'
import { list, type Problem, type ProblemCode, quote } from '../problem'
import { flawsAsCapability, httpCall, isToolish } from '../tools'
import { problem, type TypedNode } from './nodes'

type Nodes = Map<string, DraftNode>

export const nodesById = ({ nodes }: Draft): Nodes => {
  const byId: Nodes = new Map()
  for (const node of nodes) if (node.id !== undefined && !byId.has(node.id)) byId.set(node.id, node)
  return byId
}

/** Rule 9. */
export const danglingEdges = ({ edges }: Draft, nodes: Nodes): Problem[] =>
  edges.flatMap((edge) => [
    ...danglingEnd(edge, 'source', edge.sourceHandle, nodes.get(edge.source)),
    ...danglingEnd(edge, 'target', edge.targetHandle, nodes.get(edge.target)),
  ])

function danglingEnd(
  edge: DraftEdge,
  end: 'source' | 'target',
  handle: string,
  node: DraftNode | undefined,
): Problem[] {
  if (!node) {
    const verb = end === 'source' ? 'starts at' : 'leads to'
    const message = `${verb} the node ${quote(edge[end])}, which does not exist`
    return [edgeProblem(edge, 'unknown_node', `/${end}`, message, 'Name a node of this document.')]
  }
  const side = end === 'source' ? 'out' : 'in'
  const ports = node.ports?.[side]
  if (!ports || ports.some(({ id }) => id === handle)) return []
  const message = `names the ${side}-port ${quote(handle)}, which node ${quote(edge[end])} does not have`
  const hint = `Its ${side}-ports: ${list(ports.map(({ id }) => id))}.`
  return [edgeProblem(edge, 'unknown_handle', `/${end}Handle`, message, hint)]
}

/** Rule 10. */
export function takenPorts({ edges }: Draft): Problem[] {
  const first = new Map<string, DraftEdge>()
  return edges.flatMap((edge) => {
    if (edge.channel !== 'data') return []
    const key = portKey(edge.target, edge.targetHandle)
    const other = first.get(key)
    if (!other) {
      first.set(key, edge)
      return []
    }
    const message = `feeds port ${quote(edge.targetHandle)} of node ${quote(edge.target)}, as edge ${quote(other.id)} does`
    const hint =
      'Give the node one in-port per edge, each with "required": false where branches exclude each other.'
    return [edgeProblem(edge, 'port_taken', '/targetHandle', message, hint)]
  })
}

/** Rule 11. */
export const toolEdges = (draft: Draft, nodes: Nodes, typed: TypedNode[]): Problem[] => [
  ...draft.edges.flatMap((edge) =>
    edge.channel === 'tool' ? misusedEdge(edge, nodes) : misusedPort(edge, nodes),
  ),
  ...capabilityAndStep(draft, nodes),
  ...notSelfDescribing(draft, typed),
]

function misusedEdge(edge: DraftEdge, nodes: Nodes): Problem[] {
  const source = nodes.get(edge.source)
  const target = nodes.get(edge.target)
  const found: Problem[] = []
  if (source?.type !== undefined && !isToolish(source.type)) {
    const message = `is a tool edge, but starts at node ${quote(edge.source)} of type ${quote(source.type)}`
    const hint = 'Only a tool, mcp_tool or rag node can be offered to a model.'
    found.push(edgeProblem(edge, 'invalid_tool_edge', '/source', message, hint))
  }
  if (target?.type !== undefined && target.type !== 'llm') {
    const message = `is a tool edge, but leads to node ${quote(edge.target)} of type ${quote(target.type)}`
    found.push(edgeProblem(edge, 'invalid_tool_edge', '/target', message, 'Lead it to an llm node.'))
  }
  const port = target?.type === 'llm' ? inPort(target, edge.targetHandle) : undefined
  if (port && port.role !== 'tool') {
    const message = `is a tool edge, but port ${quote(port.id)} of node ${quote(edge.target)} has the role ${port.role}`
    const hint = 'Lead it to an in-port with the role "tool".'
    found.push(edgeProblem(edge, 'invalid_tool_edge', '/targetHandle', message, hint))
  }
  return found
}

function misusedPort(edge: DraftEdge, nodes: Nodes): Problem[] {
  const target = nodes.get(edge.target)
  if (!target || inPort(target, edge.targetHandle)?.role !== 'tool') return []
  const message = `is a ${edge.channel} edge, but leads to port ${quote(edge.targetHandle)}, which takes tools`
  return [
    edgeProblem(
      edge,
      'tool_port_misused',
      '/channel',
      message,
      'Lead it to another port, or set "channel" to "tool".',
    ),
  ]
}

const inPort = (node: DraftNode, id: string) => node.ports?.in.find((port) => port.id === id)

/** Nodes that a tool edge offers to a model. */
export const capabilities = ({ edges }: Pick<AgentDocument, 'edges'>): Set<string> =>
  new Set(edges.filter(({ channel }) => channel === 'tool').map(({ source }) => source))

function capabilityAndStep(draft: Draft, nodes: Nodes): Problem[] {
  const offered = capabilities(draft)
  const steps = new Set(
    draft.edges.flatMap(({ channel, source, target }) => (channel === 'tool' ? [] : [source, target])),
  )
  return [...offered].flatMap((id) => {
    const node = nodes.get(id)
    if (!node?.type || !isToolish(node.type) || !steps.has(id)) return []
    const message = 'is both offered to a model and a step of the graph'
    const hint = 'Use two nodes: one with only tool edges, one with only data and control edges.'
    return [problem(node, 'capability_and_step', '', message, hint)]
  })
}

function notSelfDescribing(draft: Draft, typed: TypedNode[]): Problem[] {
  const offered = capabilities(draft)
  const tools = Object.fromEntries([...draft.tools].flatMap(([key, tool]) => (tool ? [[key, tool]] : [])))
  return typed.flatMap((node) => {
    if (node.type !== 'tool' || node.id === undefined || !offered.has(node.id)) return []
    const call = httpCall({ tools }, { config: node.config ?? {} })
    return (call ? flawsAsCapability(call) : []).map(({ code, message, hint }) =>
      problem(node, code, '/config', `is offered to a model, but ${message}`, hint),
    )
  })
}

/** Rule 12. */
export function unfedPorts(draft: Draft): Problem[] {
  if (draft.edgesMissing) return []
  const offered = capabilities(draft)
  const fedBy = (tools: boolean) =>
    new Set(
      draft.edges
        .filter(({ channel }) => (tools ? channel === 'tool' : channel === 'data'))
        .map(({ target, targetHandle }) => portKey(target, targetHandle)),
    )
  const fed = { data: fedBy(false), tool: fedBy(true) }
  return draft.nodes.flatMap((node) => {
    const { id, type, ports } = node
    if (id === undefined || !ports || type === 'input' || offered.has(id)) return []
    return ports.in.flatMap((port, index) => {
      const channel = port.role === 'tool' ? 'tool' : 'data'
      if (!port.required || fed[channel].has(portKey(id, port.id))) return []
      const message = `has the required in-port ${quote(port.id)}, which no ${channel} edge feeds`
      const hint = 'Connect it, or set its "required" to false.'
      return [problem(node, 'port_not_fed', `/ports/in/${index}`, message, hint)]
    })
  })
}

/** With the length of the first, so that no two pairs are written alike. */
const portKey = (node: string, port: string) => `${node.length} ${node} ${port}`

const edgeProblem = (
  edge: DraftEdge,
  code: ProblemCode,
  field: string,
  message: string,
  hint: string,
): Problem => ({
  code,
  message: `Edge ${quote(edge.id)} ${message}.`,
  hint,
  edge_id: edge.id,
  path: `${edge.path}${field}`,
})
