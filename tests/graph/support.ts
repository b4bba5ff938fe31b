import fc from 'fast-check'
import type { AgentDocument, Edge, GraphNode, Port } from '#graph/ir'
import { NODE_TYPES, type NodeTypeName } from '#graph/node-types'
import type { Inputs } from '#graph/template'
import { parse, validate } from '#graph/validate'

/** What a node named `n` reads: values by port, and the ports it declares. */
export const inputs = (values: Record<string, unknown>, ports: string[] = Object.keys(values)): Inputs => ({
  node: 'n',
  ports,
  values: new Map(Object.entries(values)),
})

// Documents as an author would write them: nothing that has a default, unless the test is about it.

type Loose<T> = { [K in keyof T]?: T[K] extends (infer U)[] ? Loose<U>[] : unknown }

export interface AuthoredNode extends Omit<Loose<GraphNode>, 'ports'> {
  id: string
  type: string
  ports: { in: Partial<Port>[]; out: Partial<Port>[] }
}
export type AuthoredEdge = Loose<Edge> & { id: string }

/** The least config with which each type is valid. */
export const LEAST_CONFIG: Record<NodeTypeName, Record<string, unknown>> = {
  input: {},
  output: {},
  llm: { model: 'small', messages: [{ role: 'user', content: '$in' }] },
  tool: { tool: 'echo' },
  mcp_tool: { tool: 'query', server: 'db' },
  rag: { source: 'rag_1' },
  router: { select: '$in.in.branch' },
  guardrail: { check: { rule: { kind: 'length', spec: { max: 10 } } } },
  transform: { expr: '"$in"' },
  ratelimit: { keyExpr: 'all', limit: 1, windowSeconds: 60 },
  quota: { keyExpr: 'all', budgetTokens: 1, windowSeconds: 60 },
  transcribe: { model: 'small' },
  speak: { model: 'small' },
  imagine: { model: 'small' },
  human: {},
  subgraph: { agent: 'agent.child', version: '1' },
  loop: { agent: 'agent.child', version: '1', maxIterations: 3 },
  map: { agent: 'agent.child', version: '1' },
  agent: {},
  retriever: {},
  memory: {},
  code: {},
  condition: {},
  iterator: {},
}

/** A node with the ports of the palette, none of which must be fed, and the least config plus what is given. */
export function node(id: string, type: NodeTypeName, config: Record<string, unknown> = {}): AuthoredNode {
  const { kind, ports } = NODE_TYPES[type]
  return {
    id,
    type,
    kind,
    config: { ...LEAST_CONFIG[type], ...config },
    ports: {
      in: ports.in.map((port) => ({ ...port, required: false })),
      out: ports.out.map((port) => ({ ...port })),
    },
  }
}

/** `edge('a.out', 'b.in')` */
export const edge = (from: string, to: string, rest: Partial<Edge> = {}): AuthoredEdge => {
  const [source, sourceHandle] = from.split('.')
  const [target, targetHandle] = to.split('.')
  return { id: `${from}-${to}`, source, sourceHandle, target, targetHandle, ...rest }
}

export const document = (nodes: unknown = [], edges: unknown = [], rest: Record<string, unknown> = {}) => ({
  schemaVersion: '1.0',
  id: 'agent.test',
  name: 'test',
  version: '1.0.0',
  models: { small: { binding: 'llamacpp', model: 'small-chat' } },
  nodes,
  edges,
  ...rest,
})

/** A valid document, with its defaults filled in. */
export function parsed(value: unknown): AgentDocument {
  const { document: filled, problems } = parse(value)
  if (!filled) throw new Error(`not valid: ${problems.map(({ message }) => message).join(' ')}`)
  return filled
}

/** Each problem as its code and place. */
export const told = (value: unknown) => validate(value).map(({ code, path }) => `${code} ${path}`)
/** Problems of a document of these nodes and edges. */
export const of = (nodes: unknown[], edges: unknown[] = [], rest: Record<string, unknown> = {}) =>
  told(document(nodes, edges, rest))

/** Its ports must be fed. */
export const fed = (made: AuthoredNode): AuthoredNode => ({
  ...made,
  ports: { ...made.ports, in: made.ports.in.map((port) => ({ ...port, required: port.role !== 'tool' })) },
})

export const http = (rest: Record<string, unknown> = {}) => ({
  kind: 'http',
  connection: 'conn_1',
  description: 'Looks up a city.',
  parameterSchema: { type: 'object', properties: { city: { type: 'string' } } },
  urlTemplate: '/cities/$in.city',
  ...rest,
})

// Generators.

/** Keys that have tripped programs. */
const trap = fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'in', '')
export const key = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 6 }) },
  { weight: 1, arbitrary: trap },
)

/** JSON as `JSON.parse` would give it: keys such as `__proto__` are keys. */
export const json = (maxDepth = 3): fc.Arbitrary<unknown> =>
  fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth, depthIdentifier: 'json' },
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 6 }),
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
      ),
      fc.array(tie('value'), { maxLength: 4, depthIdentifier: 'json' }),
      fc
        .array(fc.tuple(key, tie('value')), { maxLength: 4, depthIdentifier: 'json' })
        .map((entries) => Object.fromEntries(entries)),
    ),
  })).value

const record = fc.dictionary(key, json(2), { maxKeys: 3, noNullPrototype: true })

/** A valid document: a few nodes of any type in a row, or beside each other, with whatever an author may add. */
export const validDocument: fc.Arbitrary<Record<string, unknown>> = fc
  .record({
    types: fc.array(fc.constantFrom(...(Object.keys(NODE_TYPES) as NodeTypeName[])), { maxLength: 5 }),
    linked: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
    labels: fc.array(fc.option(fc.string()), { minLength: 5, maxLength: 5 }),
    params: record,
    metadata: fc.option(record),
    view: fc.option(record),
    version: fc.string({ minLength: 1, maxLength: 10 }),
  })
  .map(({ types, linked, labels, params, metadata, view, version }) => {
    const nodes = types.map((type, index) => ({ ...node(`n${index}`, type), label: labels[index] }))
    const edges = nodes.slice(1).flatMap((target, index) => {
      const source = nodes[index]!
      const [out] = source.ports.out
      const into = target.ports.in.find(({ role }) => role !== 'tool')
      return linked[index] && out && into ? [edge(`${source.id}.${out.id}`, `${target.id}.${into.id}`)] : []
    })
    const models = { small: { binding: 'mlx', model: 'small-chat', params } }
    return document(nodes, edges, { models, metadata, view, version })
  })
