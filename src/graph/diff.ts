import { canonicalJson } from './hash'
import type { AgentDocument, Edge, GraphNode } from './ir'
import { isObject } from './read'

/** A place at which two documents differ, as a JSON pointer; a side that has nothing there is left out. */
export interface Difference {
  path: string
  a?: unknown
  b?: unknown
}

export interface Differences {
  /** Name, metadata and schema version; the version itself always differs. */
  document: Difference[]
  nodes: {
    added: GraphNode[]
    removed: GraphNode[]
    changed: { id: string; paths: Difference[] }[]
  }
  /** An edge that leads elsewhere is another edge. */
  edges: { added: Edge[]; removed: Edge[] }
  models: Difference[]
  tools: Difference[]
}

/** What leads from version `a` to version `b`. */
export interface DocumentDiff extends Differences {
  a: string
  b: string
}

/** The structural difference of two stored documents; the order of nodes and edges does not count. */
export function diffDocuments(a: AgentDocument, b: AgentDocument): Differences {
  return {
    document: differences(aboutOf(a), aboutOf(b)),
    nodes: diffNodes(a.nodes, b.nodes),
    edges: { added: without(b.edges, a.edges), removed: without(a.edges, b.edges) },
    models: differences(a.models, b.models),
    tools: differences(a.tools, b.tools),
  }
}

const aboutOf = ({ name, metadata, schemaVersion }: AgentDocument) => ({ name, metadata, schemaVersion })

function diffNodes(a: GraphNode[], b: GraphNode[]): Differences['nodes'] {
  const before = new Map(a.map((node) => [node.id, node]))
  const after = new Map(b.map((node) => [node.id, node]))
  const changed = b.flatMap((node) => {
    const earlier = before.get(node.id)
    const paths = earlier ? differences(earlier, node) : []
    return paths.length > 0 ? [{ id: node.id, paths }] : []
  })
  return {
    added: b.filter(({ id }) => !before.has(id)),
    removed: a.filter(({ id }) => !after.has(id)),
    changed,
  }
}

/** Edges of `list` that are not in `other`; each there stands for one here, since nothing makes edges unique. */
function without(list: Edge[], other: Edge[]): Edge[] {
  const left = new Map<string, number>()
  for (const edge of other) left.set(canonicalJson(edge), (left.get(canonicalJson(edge)) ?? 0) + 1)
  return list.filter((edge) => {
    const count = left.get(canonicalJson(edge)) ?? 0
    left.set(canonicalJson(edge), count - 1)
    return count <= 0
  })
}

/** Lists of one length are compared entry by entry; of another, as a whole: what moved cannot be told from what changed. */
function differences(a: unknown, b: unknown, path = ''): Difference[] {
  if (isObject(a) && isObject(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])]
    return keys.flatMap((key) => differences(own(a, key), own(b, key), step(path, key)))
  }
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    return a.flatMap((value, index) => differences(value, b[index], step(path, index)))
  }
  return same(a, b) ? [] : [{ path, ...(a !== undefined && { a }), ...(b !== undefined && { b }) }]
}

const same = (a: unknown, b: unknown): boolean =>
  a === undefined || b === undefined ? a === b : canonicalJson(a) === canonicalJson(b)

const own = (value: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined

const step = (path: string, key: string | number): string =>
  `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
