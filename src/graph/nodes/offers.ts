import { AppError } from '#kernel/errors'
import type { Patience } from '../attempts'
import type { GraphNode, ToolBinding } from '../ir'
import { configOf } from '../node-types'
import type { Call, McpTarget, ToolDescription } from '../ports'
import { quote } from '../problem'
import { isObject } from '../read'
import type { Inputs } from '../template'
import { type HttpCall, httpCall } from '../tools'
import { builtinNamed } from './builtins'
import { callHttp } from './http'
import { callAt, type StepContext } from './step'
import { builtinOf } from './tools'

/** A tool that a model may call. */
export interface Offer extends ToolDescription {
  /** The function's name: the key in the document's tools, or the id of the wired node. */
  name: string
  /** The node whose ports and patience it has; the model's own node for tools of its config. */
  node: GraphNode
  patience: Patience
  /** `keySuffix` tells this call from the others of the loop. */
  run(args: Record<string, unknown>, call: Call, keySuffix: string): Promise<unknown>
}

type Unnamed = Omit<Offer, 'name' | 'node' | 'patience'>

const NO_PARAMETERS = { type: 'object', properties: {} }
const NO_PATIENCE: Patience = {}

/** What a model node offers: the tools of its config, then the nodes wired to it. A name counts once. */
export async function offersOf(step: StepContext): Promise<Map<string, Offer>> {
  const offers = new Map<string, Offer>()
  for (const key of configOf('llm', step.node).tools) {
    const offer = await boundOffer(step, key)
    if (offer) offers.set(key, { ...offer, name: key, node: step.node, patience: NO_PATIENCE })
  }
  for (const node of step.run.offered.get(step.node.id) ?? []) {
    if (offers.has(node.id)) continue
    const patience =
      node.type === 'rag' ? configOf('rag', node) : configOf(node.type === 'tool' ? 'tool' : 'mcp_tool', node)
    offers.set(node.id, { ...(await wiredOffer(step, node)), name: node.id, node, patience })
  }
  return offers
}

/** A tool of the model's config; one of an MCP server that does not say what it takes now is left out. */
async function boundOffer(step: StepContext, key: string): Promise<Unnamed | undefined> {
  const binding = step.run.document.tools[key]!
  switch (binding.kind) {
    case 'builtin':
      return builtinOffer(step, describedBuiltin(step, binding))
    case 'http':
      return httpOffer(step, binding, step.node.id)
    case 'mcp': {
      const described = await describe(step, binding, key)
      return described && mcpOffer(step, binding, described)
    }
  }
}

function describedBuiltin({ node }: StepContext, { ref }: Extract<ToolBinding, { kind: 'builtin' }>) {
  const builtin = builtinNamed(ref)
  if (builtin) return builtin
  throw new AppError(
    'tool_not_self_describing',
    `Node ${quote(node.id)}: the built-in tool ${quote(ref)} does not exist, so a model cannot be told what it takes.`,
  )
}

async function wiredOffer(step: StepContext, node: GraphNode): Promise<Unnamed> {
  if (node.type === 'rag') return ragOffer(step, node)
  if (node.type === 'mcp_tool') {
    const config = configOf('mcp_tool', node)
    const described = await describe(step, config, node.id)
    const { description = '', parameters = NO_PARAMETERS } = described ?? {}
    return mcpOffer(step, config, { description: config.description ?? description, parameters })
  }
  const http = httpCall(step.run.document, node)
  if (http) return httpOffer(step, http, node.id)
  const builtin = builtinOffer(step, builtinOf(step.run.document, node))
  const { description } = configOf('tool', node)
  return description === null ? builtin : { ...builtin, description }
}

const builtinOffer = ({ run }: StepContext, builtin: ReturnType<typeof builtinOf>): Unnamed => ({
  description: builtin.description,
  parameters: builtin.parameters,
  run: (args, call) => builtin.run(args, run.ports.tools, call),
})

const httpOffer = ({ run }: StepContext, http: HttpCall, nodeId: string): Unnamed => ({
  description: http.description ?? '',
  parameters: http.parameterSchema ?? NO_PARAMETERS,
  run: (args, call, keySuffix) =>
    callHttp(run.ports.tools, { http, inputs: slots(nodeId, http, args), nodeId, keySuffix }, call),
})

/** The slots of an HTTP tool as `$in.<slot>`, and all of them as `$in`. A slot the model left out is absent. */
function slots(node: string, { parameterSchema }: HttpCall, args: Record<string, unknown>): Inputs {
  const declared = isObject(parameterSchema?.properties) ? Object.keys(parameterSchema.properties) : []
  const values = new Map<string, unknown>([['in', args], ...Object.entries(args)])
  return { node, ports: [...new Set([...values.keys(), ...declared])], values }
}

const mcpOffer = ({ run }: StepContext, target: McpTarget, described: ToolDescription): Unnamed => {
  const { server, connection, tool } = target
  return {
    ...described,
    run: (args, call) => run.ports.tools.mcp({ server, connection, tool, args }, call),
  }
}

/** On record too: a model that is asked again later must be offered the same. */
async function describe(
  { run, place, signal }: StepContext,
  { server, connection, tool }: McpTarget,
  name: string,
): Promise<ToolDescription | undefined> {
  const at = `${place}/describe@${name}`
  const described = await run.ports.journal.step(at, async () => {
    try {
      const call = callAt(run, at, signal)
      return (await run.ports.tools.describeMcp({ server, connection, tool }, call)) ?? null
    } catch {
      // A server that is down has no schema to offer; what calls it will say so.
      signal.throwIfAborted()
      return null
    }
  })
  return described ?? undefined
}

function ragOffer({ run }: StepContext, node: GraphNode): Unnamed {
  const { source, topK, minSimilarity, description } = configOf('rag', node)
  return {
    description: description ?? 'Finds passages in a document source.',
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What to look for.' } },
      required: ['query'],
    },
    run(args, call) {
      const query = typeof args.query === 'string' ? args.query : ''
      return run.ports.retrieval.find({ source, query, topK, minSimilarity }, call)
    },
  }
}
