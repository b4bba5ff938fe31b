import { AgentDocument, type Edge, type ModelBinding, type Port, type ToolBinding } from './ir'
import { at, type Problem, quote } from './problem'
import { isObject, type Mismatch, read } from './read'

/** A node as far as it could be read: what does not have its proper type is missing here. */
export interface DraftNode {
  path: string
  /** How messages call it. */
  name: string
  id?: string
  type?: string
  kind?: string
  config?: Record<string, unknown>
  ports?: { in: Port[]; out: Port[] }
}

export interface DraftEdge extends Edge {
  path: string
}

/**
 * A document as far as it could be read, so that each rule can judge what it is about even where something else is
 * broken. No rule reports what is only a consequence of another problem.
 */
export interface Draft {
  /** The whole, with defaults filled in: an `AgentDocument` where nothing is wrong. */
  value: unknown
  problems: Problem[]
  models: Record<string, ModelBinding>
  /** Declared tools; one whose binding is broken has no value. */
  tools: Map<string, ToolBinding | undefined>
  nodes: DraftNode[]
  /** Those that could be read in full. */
  edges: DraftEdge[]
  /** Not every edge could be read, so it is not known which ports are fed. */
  edgesMissing: boolean
}

export function readDraft(document: unknown): Draft {
  const { value, mismatches } = read(AgentDocument, document)
  const top = isObject(value) ? value : {}
  const broken = brokenPaths(mismatches)
  const nodes = listOf(top.nodes).map((node, index) => readNode(node, at('/nodes', index), broken))
  const edges = listOf(top.edges).map((edge, index) => ({ edge, path: at('/edges', index) }))
  const tools = Object.entries(mapOf<ToolBinding>(top.tools)).map(
    ([key, binding]) => [key, broken.has(at('/tools', key)) ? undefined : binding] as const,
  )
  const named = (path: string): Subject => subjectOf(path, nodes, edges)
  return {
    value,
    problems: [
      ...mismatches.map((mismatch) => shapeProblem(mismatch, named(mismatch.path))),
      ...tools.flatMap(([key, binding]) => (binding ? serverProblem(key, binding) : [])),
    ],
    models: mapOf<ModelBinding>(top.models),
    tools: new Map(tools),
    nodes,
    edges: edges
      .filter(({ path }) => !broken.has(path))
      .map(({ edge, path }) => ({ ...(edge as Edge), path })),
    edgesMissing: broken.has('/edges'),
  }
}

/** Every place at which, or inside which, something is wrong. */
function brokenPaths(mismatches: Mismatch[]): Set<string> {
  const paths = new Set<string>()
  for (const { path } of mismatches) {
    for (
      let end = path.length;
      end > 0 && !paths.has(path.slice(0, end));
      end = path.lastIndexOf('/', end - 1)
    ) {
      paths.add(path.slice(0, end))
    }
  }
  return paths
}

function readNode(value: unknown, path: string, broken: Set<string>): DraftNode {
  if (!isObject(value)) return { path, name: `The value at ${path}` }
  const { id, type, kind, config, ports } = value
  return {
    path,
    name: typeof id === 'string' && id !== '' ? `Node ${quote(id)}` : `The node at ${path}`,
    ...(typeof id === 'string' && { id }),
    ...(typeof type === 'string' && { type }),
    ...(typeof kind === 'string' && { kind }),
    ...(isObject(config) && { config }),
    ...(!broken.has(at(path, 'ports')) && { ports: ports as DraftNode['ports'] }),
  }
}

interface Subject {
  name: string
  /** Its own path, which messages leave out. */
  path: string
  ids: { node_id?: string; edge_id?: string }
}

function subjectOf(path: string, nodes: DraftNode[], edges: { edge: unknown; path: string }[]): Subject {
  const [, area, index] = path.split('/')
  const node = area === 'nodes' ? nodes[Number(index)] : undefined
  if (node) {
    return { name: node.name, path: node.path, ids: node.id === undefined ? {} : { node_id: node.id } }
  }
  const found = area === 'edges' ? edges[Number(index)] : undefined
  if (!found) return { name: 'The document', path: '', ids: {} }
  const id = isObject(found.edge) && typeof found.edge.id === 'string' ? found.edge.id : undefined
  return {
    name: id === undefined ? `The edge at ${found.path}` : `Edge ${quote(id)}`,
    path: found.path,
    ids: id === undefined ? {} : { edge_id: id },
  }
}

const shapeProblem = ({ path, message, hint }: Mismatch, { name, path: from, ids }: Subject): Problem => ({
  code: 'invalid_shape',
  message: sentence(name, path.slice(from.length), message),
  hint,
  ...ids,
  path,
})

/** `Node "a": "config.model" must be text, not 3.` */
export const sentence = (subject: string, field: string, message: string): string =>
  field === ''
    ? `${subject} ${message}.`
    : `${subject}: ${quote(field.slice(1).replaceAll('/', '.'))} ${message}.`

function serverProblem(key: string, binding: ToolBinding): Problem[] {
  if (binding.kind !== 'mcp' || (binding.server === null) !== (binding.connection === null)) return []
  return [
    {
      code: 'invalid_shape',
      message: sentence('The document', at('/tools', key), 'must name exactly one of server and connection'),
      hint: 'Give either the name of a registered server, or the id of a connection.',
      path: at('/tools', key),
    },
  ]
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const mapOf = <T>(value: unknown): Record<string, T> => (isObject(value) ? (value as Record<string, T>) : {})
