import type { AgentDocument, GraphNode } from '../../src/graph/ir'
import { isObject } from '../../src/graph/read'

/** What is known of a value before anything ran: its fields, and whether there can be no others. */
export interface Shape {
  fields: Record<string, Shape>
  certain: boolean
}

/** Values are passed on by at most so many nodes in a row. */
const MAX_HOPS = 20

/** The shape of what a node puts out on a port; nothing where it may be anything. */
export function shapeOf(document: AgentDocument, id: string, port: string, hops = 0): Shape | undefined {
  const node = document.nodes.find((one) => one.id === id)
  if (!node || hops > MAX_HOPS || isError(node, port)) return undefined
  const { config } = node
  switch (node.type) {
    case 'input':
      return fromSchema(config.schema)
    case 'human':
      return fromSchema(config.inputSchema)
    case 'tool':
      return isFetch(document, node) ? exactly('status', 'body', 'headers') : undefined
    case 'speak':
    case 'imagine':
      return exactly('ref', 'contentType', 'bytes')
    case 'transform':
      return fromTemplate(config.expr)
    case 'llm':
      return fromResponseFormat(document, config.model)
    case 'ratelimit':
    case 'quota':
      return port === 'deny' ? exactly('denied', 'reason') : passedOn(document, node, hops)
    case 'router':
    case 'guardrail':
      return passedOn(document, node, hops)
    default:
      return undefined
  }
}

const isError = ({ ports }: GraphNode, port: string) =>
  ports.out.some(({ id, type }) => id === port && type === 'error')

const exactly = (...names: string[]): Shape => ({
  fields: Object.fromEntries(names.map((name) => [name, NOTHING])),
  certain: true,
})
const NOTHING: Shape = { fields: {}, certain: false }

function fromSchema(schema: unknown, depth = 0): Shape | undefined {
  if (!isObject(schema) || !isObject(schema.properties) || depth > MAX_HOPS) return undefined
  const fields = Object.entries(schema.properties).map(
    ([name, one]) => [name, fromSchema(one, depth + 1) ?? NOTHING] as const,
  )
  return { fields: Object.fromEntries(fields), certain: false }
}

const isFetch = ({ tools }: AgentDocument, { config }: GraphNode): boolean => {
  const key = String(config.tool)
  const binding = Object.hasOwn(tools, key) ? tools[key] : undefined
  return (binding?.kind === 'builtin' ? binding.ref : key) === 'http_fetch' && binding?.kind !== 'http'
}

function fromTemplate(expr: unknown): Shape | undefined {
  try {
    const value: unknown = JSON.parse(String(expr))
    return isObject(value) ? { ...exactly(...Object.keys(value)) } : undefined
  } catch {
    // An expression: it may give anything.
    return undefined
  }
}

function fromResponseFormat({ models }: AgentDocument, key: unknown): Shape | undefined {
  const params = typeof key === 'string' && Object.hasOwn(models, key) ? models[key]!.params : {}
  const format = params.responseFormat ?? params.response_format
  const schema = isObject(format) && isObject(format.json_schema) ? format.json_schema.schema : undefined
  return fromSchema(schema)
}

function passedOn(document: AgentDocument, node: GraphNode, hops: number): Shape | undefined {
  const edge = document.edges.find(({ target, channel }) => target === node.id && channel === 'data')
  return edge && shapeOf(document, edge.source, edge.sourceHandle, hops + 1)
}
