import type { Static, TSchema } from 'typebox'
import * as configs from './configs'
import type { GraphNode, Port } from './ir'
import { read } from './read'

export type Kind = 'boundary' | 'activity' | 'orchestration'

interface NodeType {
  label: string
  /** One sentence, for the palette and the docs. */
  description: string
  /** Of a guardrail: the kind of its rule check; see `kindOf`. */
  kind: Kind
  config: TSchema
  /** What the palette gives a new node; a document's own ports count. */
  ports: { in: readonly Port[]; out: readonly Port[] }
  /** Other types are accepted in a document, but no run can be started. */
  executable: boolean
  /** Needs a run that survives a restart. */
  durableOnly: boolean
  /** Its config takes `retry` and `timeoutSeconds`. */
  fallible: boolean
}

const port = (id: string, rest: Partial<Port> = {}): Port => ({
  id,
  type: 'any',
  required: true,
  role: 'data',
  ...rest,
})
const IN = port('in')
const OUT = port('out')
const ERR = port('err', { type: 'error' })
const USE = port('use', { role: 'tool' })

type Rest = Pick<NodeType, 'ports'> & Partial<Pick<NodeType, 'executable' | 'durableOnly' | 'fallible'>>
const define = <S extends TSchema>(
  kind: Kind,
  label: string,
  description: string,
  config: S,
  { ports, ...rest }: Rest,
) => ({
  kind,
  label,
  description,
  config,
  ports,
  executable: true,
  durableOnly: false,
  fallible: false,
  ...rest,
})
const declared = (kind: Kind, label: string, description: string) =>
  define(kind, label, description, configs.Opaque, { ports: { in: [IN], out: [OUT] }, executable: false })

/** Every node type, in the order of the palette: config, default ports, and what can run it. */
export const NODE_TYPES = {
  input: define('boundary', 'Input', 'Brings the input of the run into the graph.', configs.Input, {
    ports: { in: [], out: [OUT] },
  }),
  output: define('boundary', 'Output', 'Takes its value as the output of the run.', configs.Output, {
    ports: { in: [IN], out: [] },
  }),
  llm: define('activity', 'Model', 'Asks a language model, which may call tools.', configs.Llm, {
    ports: { in: [IN, port('tools', { role: 'tool', required: false })], out: [OUT] },
    fallible: true,
  }),
  tool: define('activity', 'Tool', 'Calls a built-in tool or an HTTP endpoint.', configs.Tool, {
    ports: { in: [IN], out: [OUT, ERR, USE] },
    fallible: true,
  }),
  mcp_tool: define('activity', 'MCP tool', 'Calls a tool of an MCP server.', configs.McpTool, {
    ports: { in: [IN], out: [OUT, ERR, USE] },
    fallible: true,
  }),
  rag: define('activity', 'Retrieval', 'Finds passages in a document source.', configs.Rag, {
    ports: { in: [{ ...IN, required: false }], out: [OUT, ERR, USE] },
    fallible: true,
  }),
  router: define('orchestration', 'Router', 'Sends its value down one of its branches.', configs.Router, {
    ports: { in: [IN], out: [OUT] },
  }),
  guardrail: define(
    'orchestration',
    'Guardrail',
    'Lets a value pass or blocks it, by a rule or by a model.',
    configs.Guardrail,
    { ports: { in: [IN], out: [port('pass'), port('block')] }, fallible: true },
  ),
  transform: define('orchestration', 'Transform', 'Builds a new value from its inputs.', configs.Transform, {
    ports: { in: [IN], out: [OUT] },
  }),
  ratelimit: define(
    'activity',
    'Rate limit',
    'Lets through so many values in a window of time.',
    configs.RateLimit,
    { ports: { in: [IN], out: [port('allow'), port('deny')] } },
  ),
  quota: define(
    'activity',
    'Token quota',
    'Lets values through while the agent has tokens left in the window.',
    configs.Quota,
    { ports: { in: [IN], out: [port('allow'), port('deny')] } },
  ),
  transcribe: define('activity', 'Transcribe', 'Turns speech into text.', configs.Media, {
    ports: { in: [port('audio')], out: [port('text'), ERR] },
    fallible: true,
  }),
  speak: define('activity', 'Speak', 'Turns text into speech.', configs.Media, {
    ports: { in: [port('text')], out: [port('audio'), ERR] },
    fallible: true,
  }),
  imagine: define('activity', 'Imagine', 'Draws an image from a prompt.', configs.Media, {
    ports: { in: [IN], out: [OUT] },
    fallible: true,
  }),
  human: define('boundary', 'Human', 'Waits until a person answers.', configs.Human, {
    ports: { in: [IN], out: [OUT] },
    durableOnly: true,
  }),
  subgraph: define('boundary', 'Subgraph', 'Runs another agent as one step.', configs.Subgraph, {
    ports: { in: [IN], out: [OUT, ERR] },
    durableOnly: true,
  }),
  loop: define(
    'orchestration',
    'Loop',
    'Runs another agent on its own output until a condition holds.',
    configs.Loop,
    { ports: { in: [IN], out: [OUT] }, durableOnly: true },
  ),
  map: define('orchestration', 'Map', 'Runs another agent for each item of a list.', configs.MapOver, {
    ports: { in: [IN], out: [OUT] },
    durableOnly: true,
  }),
  agent: declared('activity', 'Agent', 'Reserved.'),
  retriever: declared('activity', 'Retriever', 'Reserved.'),
  memory: declared('activity', 'Memory', 'Reserved.'),
  code: declared('activity', 'Code', 'Reserved.'),
  condition: declared('orchestration', 'Condition', 'Reserved.'),
  iterator: declared('orchestration', 'Iterator', 'Reserved.'),
} satisfies Record<string, NodeType>

export type NodeTypeName = keyof typeof NODE_TYPES
export type ConfigOf<T extends NodeTypeName> = Static<(typeof NODE_TYPES)[T]['config']>

export const isNodeType = (name: string): name is NodeTypeName => Object.hasOwn(NODE_TYPES, name)

/** The kind a node of this type must state. A guardrail's depends on who checks: a rule, or a model. */
export function kindOf(type: NodeTypeName, config: Record<string, unknown>): Kind {
  const check = Object.hasOwn(config, 'check') ? config.check : undefined
  const byModel = type === 'guardrail' && (check as { type?: unknown } | null | undefined)?.type === 'model'
  return byModel ? 'activity' : NODE_TYPES[type].kind
}

/** A node's config with the defaults filled in, to run it by; the node itself keeps what its author wrote. */
export function configOf<T extends NodeTypeName>(type: T, node: Pick<GraphNode, 'config'>): ConfigOf<T> {
  return read(NODE_TYPES[type].config, node.config).value as ConfigOf<T>
}
