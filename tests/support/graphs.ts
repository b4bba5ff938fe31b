/** Documents for tests that run graphs, in few words: `graph(nodes, ['a.out>b.in', …])`. */

interface NodeOptions {
  config?: Record<string, unknown>
  in?: (string | Record<string, unknown>)[]
  out?: (string | Record<string, unknown>)[]
  kind?: string
}

const KINDS: Record<string, string> = {
  input: 'boundary',
  output: 'boundary',
  human: 'boundary',
  subgraph: 'boundary',
  router: 'orchestration',
  transform: 'orchestration',
  guardrail: 'orchestration',
  loop: 'orchestration',
  map: 'orchestration',
}
const ERROR = { id: 'err', type: 'error' }
const DEFAULT_PORTS: Record<string, { in: NodeOptions['in']; out: NodeOptions['out'] }> = {
  input: { in: [], out: ['out'] },
  output: { in: ['in'], out: [] },
  ratelimit: { in: ['in'], out: ['allow', 'deny'] },
  quota: { in: ['in'], out: ['allow', 'deny'] },
  guardrail: { in: ['in'], out: ['pass', 'block'] },
  tool: { in: ['in'], out: ['out', ERROR] },
  mcp_tool: { in: ['in'], out: ['out', ERROR] },
  rag: { in: ['in'], out: ['out', ERROR] },
  transcribe: { in: ['audio'], out: ['text', ERROR] },
  speak: { in: ['text'], out: ['audio', ERROR] },
  imagine: { in: ['in'], out: ['out', ERROR] },
}

export const node = (id: string, type: string, options: NodeOptions = {}) => {
  const ports = DEFAULT_PORTS[type] ?? { in: ['in'], out: ['out'] }
  const list = (given: NodeOptions['in']) =>
    (given ?? []).map((port) => (typeof port === 'string' ? { id: port } : port))
  return {
    id,
    type,
    kind: options.kind ?? KINDS[type] ?? 'activity',
    config: options.config ?? {},
    ports: { in: list(options.in ?? ports.in), out: list(options.out ?? ports.out) },
  }
}

/** An edge is `source.handle>target.handle`, followed by ` control` or ` tool` where it carries no data. */
export const graph = (
  nodes: ReturnType<typeof node>[],
  edges: string[],
  more: Record<string, unknown> = {},
) => ({
  schemaVersion: '1.0',
  id: 'agent.test',
  name: 'Test',
  version: '1.0.0',
  models: { default: { binding: 'standard-compatible', model: 'test-model' } },
  nodes,
  edges: edges.map((text, index) => {
    const [way, channel = 'data'] = text.split(' ')
    const [source, sourceHandle, target, targetHandle] = way!.split(/[.>]/)
    return { id: `e${index}`, source, sourceHandle, target, targetHandle, channel }
  }),
  ...more,
})

export const llm = (id: string, content = '$in', config: Record<string, unknown> = {}) =>
  node(id, 'llm', {
    config: { model: 'default', messages: [{ role: 'user', content }], ...config },
    in: ['in', { id: 'tools', role: 'tool', required: false }],
  })

/** input → transform → output, without a model. */
export const shouting = (more: Record<string, unknown> = {}) =>
  graph(
    [
      node('in', 'input'),
      node('shout', 'transform', { config: { expr: '$uppercase($in.in)' } }),
      node('out', 'output'),
    ],
    ['in.out>shout.in', 'shout.out>out.in'],
    more,
  )

/** input → llm → output */
export const asking = (more: Record<string, unknown> = {}) =>
  graph([node('in', 'input'), llm('ask'), node('out', 'output')], ['in.out>ask.in', 'ask.out>out.in'], more)
