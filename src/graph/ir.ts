import Type, { type Static } from 'typebox'
import { anyJson, choice, envelope, mapOf, oneOf, openObject, orNull, says } from './shapes'

/**
 * The agent document: one schema for validation, types, the API's description, the editor and the docs. A node's
 * config is an open object here; `node-types.ts` has its shape per type, because it is kept and hashed as authored.
 */

const text = () => Type.String({ minLength: 1 })

export const ModelBinding = envelope({
  binding: says(
    'What kind of engine or service runs it.',
    choice(['mlx', 'llamacpp', 'standard-compatible']),
  ),
  model: says('Logical id, as registered on the inference plane.', text()),
  source: says('Where its weights come from.', orNull(choice(['hf', 'local-path', 'url']))),
  params: says(
    'Generation parameters in camelCase, such as `temperature` and `maxTokens`.',
    openObject({ default: {} }),
  ),
})
export type ModelBinding = Static<typeof ModelBinding>

const BuiltinTool = envelope({
  kind: Type.Literal('builtin'),
  ref: says('Name of a built-in tool.', text()),
})

const HttpTool = envelope({
  kind: Type.Literal('http'),
  connection: says('Id of the connection that has base URL and credentials.', text()),
  template: says('Name of the template it was made from.', orNull(Type.String())),
  description: says('Tells a model what the tool is for.', orNull(Type.String())),
  parameterSchema: says('JSON Schema of the arguments, for a model.', orNull(openObject())),
  method: says('HTTP method; null is GET.', orNull(Type.String())),
  urlTemplate: says(
    'URL, or what to put behind the connection’s base URL. Takes `$in`.',
    orNull(Type.String()),
  ),
  bodyTemplate: says('JSON body; whole `$in` references in it are replaced.', anyJson()),
  headers: says('Further headers. Values take `$in`.', mapOf(Type.String())),
  responseMap: says('Part of the response to keep, such as `$.items[0].name`.', orNull(Type.String())),
  idempotencyKey: says(
    'Sent as Idempotency-Key; takes `{runId}`, `{nodeId}` and `$in`.',
    orNull(Type.String()),
  ),
  timeoutSeconds: says('Null is 30 seconds.', orNull(Type.Number({ exclusiveMinimum: 0 }))),
})
export type HttpTool = Static<typeof HttpTool>

const McpTool = envelope({
  kind: Type.Literal('mcp'),
  tool: says('Name of the tool.', text()),
  server: says('Name of a registered server. Exactly one of `server` and `connection`.', orNull(text())),
  connection: says('Id of a connection.', orNull(text())),
})

export const ToolBinding = oneOf([BuiltinTool, HttpTool, McpTool], 'kind')
export type ToolBinding = Static<typeof ToolBinding>

export const Port = envelope({
  id: says('What edges and `$in` call it.', text()),
  type: says(
    '`error` marks the port that carries a failure; the name of the port does not matter. Other types are for people.',
    Type.String({ default: 'any' }),
  ),
  required: says('Of an in-port: a data edge must feed it.', Type.Boolean({ default: true })),
  role: says(
    'Which edges it is for; into a port for tools only tool edges lead. What a node that takes one value reads from a port for control, as `$in.<port>`, is not that value.',
    choice(['data', 'control', 'tool'], { default: 'data' }),
  ),
})
export type Port = Static<typeof Port>

export const GraphNode = envelope({
  id: says('Unique in the document.', text()),
  type: says('One of the node types below.', Type.String()),
  kind: says('The kind of that type, stated again.', Type.String()),
  label: says('What people see.', orNull(Type.String())),
  config: says('By type, see below. Kept and hashed as written.', openObject({ default: {} })),
  ports: says(
    'Its ports, `in` and `out`. They are not implied by the type.',
    envelope(
      { in: Type.Array(Port, { default: [] }), out: Type.Array(Port, { default: [] }) },
      { default: { in: [], out: [] } },
    ),
  ),
})
export type GraphNode = Static<typeof GraphNode>

export const Edge = envelope({
  id: says('Any text.', Type.String()),
  source: says('Id of the node it starts at.', Type.String()),
  sourceHandle: says('One of that node’s out-ports.', Type.String()),
  target: says('Id of the node it leads to.', Type.String()),
  targetHandle: says('One of that node’s in-ports.', Type.String()),
  channel: says(
    '`data` carries a value, `control` only orders, `tool` offers a node to a model.',
    choice(['data', 'control', 'tool'], { default: 'data' }),
  ),
  condition: says('Reserved.', anyJson()),
})
export type Edge = Static<typeof Edge>

export const AgentDocument = envelope({
  schemaVersion: says('`"1.0"`; not interpreted.', Type.String()),
  id: says(
    'The agent’s id, by custom `agent.<name>`: 1 to 128 letters, digits, `.`, `_` or `-`.',
    Type.String({
      pattern: '^[A-Za-z0-9._-]{1,128}$',
      'x-like': '1 to 128 letters, digits, ".", "_" or "-"',
    }),
  ),
  name: says('What people see.', Type.String()),
  version: says('Immutable once published; by custom semver.', Type.String({ minLength: 1, maxLength: 64 })),
  contentHash: says('Ignored on input; stamped on what is stored.', orNull(Type.String())),
  models: says('Models by the keys that nodes use.', mapOf(ModelBinding)),
  tools: says('Tools by the keys that nodes use.', mapOf(ToolBinding)),
  nodes: says('The steps.', Type.Array(GraphNode, { default: [] })),
  edges: says('What leads from where to where.', Type.Array(Edge, { default: [] })),
  view: says('Canvas layout; not hashed, and stored beside the document.', orNull(openObject())),
  metadata: says('Anything; hashed.', orNull(openObject())),
})
/** A document with all its defaults filled in, as it is hashed, stored and run. */
export type AgentDocument = Static<typeof AgentDocument>
