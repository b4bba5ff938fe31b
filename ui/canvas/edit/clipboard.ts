import { canonicalJson } from '../../../src/graph/hash'
import { type AgentDocument, Edge, GraphNode, ModelBinding, ToolBinding } from '../../../src/graph/ir'
import { isObject, read } from '../../../src/graph/read'
import { entryOf, type Position, place, positionIn } from '../view'
import { freshId } from './ids'

/** A part of a graph as text: nodes, the edges between them, their places, and what they name in `models` and `tools`. */
interface Fragment {
  tycho: 'graph'
  nodes: GraphNode[]
  edges: Edge[]
  positions: Record<string, Position>
  models: Record<string, ModelBinding>
  tools: Record<string, ToolBinding>
}

/** More than anybody means to paste. */
const MAX_NODES = 2_000
const SHIFT = 40

export function copyText(document: AgentDocument, ids: ReadonlySet<string>): string {
  const nodes = document.nodes.filter(({ id }) => ids.has(id))
  const named = JSON.stringify(nodes)
  const mentioned = <T>(map: Record<string, T>) =>
    Object.fromEntries(Object.entries(map).filter(([key]) => named.includes(JSON.stringify(key))))
  const placed = nodes.flatMap(({ id }) => {
    const position = positionIn(entryOf(document, id))
    return position ? [[id, position] as const] : []
  })
  const fragment: Fragment = {
    tycho: 'graph',
    nodes,
    edges: document.edges.filter(({ source, target }) => ids.has(source) && ids.has(target)),
    positions: Object.fromEntries(placed),
    models: mentioned(document.models),
    tools: mentioned(document.tools),
  }
  return JSON.stringify(fragment, null, 2)
}

/** What a text on the clipboard holds: a part of a graph, or a whole agent document; null for any other text. */
export function readFragment(text: string): Fragment | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (!isObject(value) || !Array.isArray(value.nodes) || value.nodes.length > MAX_NODES) return null
  const nodes = list(GraphNode, value.nodes)
  const edges = list(Edge, Array.isArray(value.edges) ? value.edges : [])
  if (!nodes || !edges || nodes.length === 0) return null
  const whole = { view: isObject(value.view) ? value.view : { nodes: {} } }
  const positions = isObject(value.positions) ? value.positions : {}
  const placed = (nodes as GraphNode[]).flatMap(({ id }) => {
    const position = positionIn({ position: positions[id] }) ?? positionIn(entryOf(whole, id))
    return position ? [[id, position] as const] : []
  })
  return {
    tycho: 'graph',
    nodes: nodes as GraphNode[],
    edges: edges as Edge[],
    positions: Object.fromEntries(placed),
    models: map(ModelBinding, value.models) as Record<string, ModelBinding>,
    tools: map(ToolBinding, value.tools) as Record<string, ToolBinding>,
  }
}

/** Adds a part under fresh ids; `at` is where its upper left corner comes. */
export function paste(
  document: AgentDocument,
  fragment: Fragment,
  at?: Position,
): { document: AgentDocument; ids: Set<string> } {
  const taken = new Set(document.nodes.map(({ id }) => id))
  const names = new Map<string, string>()
  for (const { id } of fragment.nodes) {
    const name = freshId(id, taken)
    taken.add(name)
    names.set(id, name)
  }
  const edgeIds = new Set(document.edges.map(({ id }) => id))
  const edges = fragment.edges.flatMap((edge) => {
    const source = names.get(edge.source)
    const target = names.get(edge.target)
    if (source === undefined || target === undefined) return []
    const id = freshId(edge.id, edgeIds)
    edgeIds.add(id)
    return [{ ...edge, id, source, target }]
  })
  const models = joined(document.models, fragment.models)
  const tools = joined(document.tools, fragment.tools)
  const grown: AgentDocument = {
    ...document,
    models: models.map,
    tools: tools.map,
    nodes: [
      ...document.nodes,
      ...fragment.nodes.map((node) => ({
        ...node,
        id: names.get(node.id)!,
        config: withKeys(node.config, models.keys, tools.keys),
      })),
    ],
    edges: [...document.edges, ...edges],
  }
  return { document: place(grown, placesOf(fragment, names, at)), ids: new Set(names.values()) }
}

export function duplicate(document: AgentDocument, ids: ReadonlySet<string>) {
  const fragment = readFragment(copyText(document, ids))
  return fragment ? paste(document, fragment) : { document, ids: new Set<string>() }
}

/** Both maps in one; a key that means something else here already gets another one. */
function joined<T>(here: Record<string, T>, brought: Record<string, T>) {
  const keys = new Map<string, string>()
  const added = Object.entries(brought).map(([key, value]) => {
    const isSame = Object.hasOwn(here, key) && canonicalJson(here[key]) === canonicalJson(value)
    const name = isSame ? key : freshId(key, Object.keys(here))
    keys.set(key, name)
    return [name, value] as const
  })
  return { map: { ...here, ...Object.fromEntries(added) }, keys }
}

/** A config whose models and tools are called as they are here. */
function withKeys(
  config: Record<string, unknown>,
  models: ReadonlyMap<string, string>,
  tools: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const renamed = (keys: ReadonlyMap<string, string>, key: unknown) => keys.get(key as string) ?? key
  const { model, tool, tools: offered, check } = config
  const judge = isObject(check) && isObject(check.model) ? check.model : null
  return {
    ...config,
    ...(model !== undefined && { model: renamed(models, model) }),
    ...(tool !== undefined && { tool: renamed(tools, tool) }),
    ...(Array.isArray(offered) && { tools: offered.map((key) => renamed(tools, key)) }),
    ...(judge && {
      check: { ...(check as object), model: { ...judge, model: renamed(models, judge.model) } },
    }),
  }
}

function placesOf({ positions }: Fragment, names: Map<string, string>, at?: Position) {
  const all = Object.values(positions)
  const left = Math.min(...all.map(({ x }) => x))
  const top = Math.min(...all.map(({ y }) => y))
  const by = at ? { x: at.x - left, y: at.y - top } : { x: SHIFT, y: SHIFT }
  return Object.fromEntries(
    Object.entries(positions).map(([id, { x, y }]) => [names.get(id)!, { x: x + by.x, y: y + by.y }]),
  )
}

/** All of them, with defaults filled in; null where one does not fit. */
function list(schema: Parameters<typeof read>[0], values: unknown[]): unknown[] | null {
  const readings = values.map((value) => read(schema, value))
  return readings.every(({ mismatches }) => mismatches.length === 0)
    ? readings.map(({ value }) => value)
    : null
}

/** Those that fit. */
const map = (schema: Parameters<typeof read>[0], value: unknown) =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).flatMap(([key, one]) => {
      const { value: filled, mismatches } = read(schema, one)
      return mismatches.length === 0 ? [[key, filled]] : []
    }),
  )
