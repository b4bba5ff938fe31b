import type { AgentDocument, GraphNode } from '#graph/ir'
import { configOf } from '#graph/node-types'
import { BUILTINS, builtinNamed } from '#graph/nodes/builtins'
import { list, quote } from '#graph/problem'
import { httpCall } from '#graph/tools'
import { firstUnexecutable, needsDurable } from '#graph/validate'
import { AppError } from '#kernel/errors'

/** What a graph may name that lies outside its document. */
export interface Lookups {
  hasMcpServer(name: string): Promise<boolean>
  /** False only where the tools of the server are known, and this is none of them. */
  mayHaveMcpTool(server: string, tool: string): Promise<boolean>
  hasRagSource(id: string): Promise<boolean>
}

/**
 * What keeps a valid document from being run, in this process or durably, before there is a run.
 * @throws {AppError} `node_type_unavailable`, `durable_required` or that something it names does not exist
 */
export async function preflight(document: AgentDocument, lookups: Lookups, isDurable = false) {
  refuseUnexecutable(document)
  if (!isDurable && needsDurable(document)) {
    throw new AppError(
      'durable_required',
      'A graph with human, subgraph, loop or map nodes only runs durably: POST /agents/{id}/durable-runs.',
    )
  }
  for (const node of document.nodes) await checkNode(document, node, lookups)
}

/** @throws {AppError} `node_type_unavailable` */
export function refuseUnexecutable(document: AgentDocument) {
  const node = firstUnexecutable(document)
  if (!node) return
  throw new AppError(
    'node_type_unavailable',
    `Node ${quote(node.id)} is of the type ${quote(node.type)}, which can be stored, but not run.`,
  )
}

async function checkNode(document: AgentDocument, node: GraphNode, lookups: Lookups) {
  switch (node.type) {
    case 'tool':
      return checkTool(document, node)
    case 'llm':
      return checkLlm(document, node)
    case 'mcp_tool':
      return checkMcpTool(node, lookups)
    case 'rag':
      return checkRag(node, lookups)
  }
}

function checkTool(document: AgentDocument, node: GraphNode) {
  const { tool } = configOf('tool', node)
  const binding = bindingOf(document, tool)
  if (binding?.kind === 'mcp') {
    throw new AppError(
      'tool_binding_mismatch',
      `Node ${quote(node.id)}: ${quote(tool)} is a tool of an MCP server. Use a node of the type mcp_tool.`,
    )
  }
  const builtin = binding?.kind === 'builtin' ? binding.ref : tool
  // A node may say itself how to call its tool; the tool must be declared all the same.
  if (builtinNamed(builtin) || (binding && httpCall(document, node))) return
  throw unknownTool(node, builtin)
}

function checkLlm(document: AgentDocument, node: GraphNode) {
  for (const key of configOf('llm', node).tools) {
    const binding = bindingOf(document, key)
    if (binding?.kind !== 'builtin' || builtinNamed(binding.ref)) continue
    throw new AppError(
      'tool_not_self_describing',
      `Node ${quote(node.id)}: there is no built-in tool ${quote(binding.ref)} that could say what it takes. Built-in ones: ${list(Object.keys(BUILTINS))}.`,
    )
  }
}

async function checkMcpTool(node: GraphNode, lookups: Lookups) {
  const { server, tool } = configOf('mcp_tool', node)
  // A connection is looked up at the step itself.
  if (server === null) return
  if (!(await lookups.hasMcpServer(server))) {
    throw new AppError(
      'mcp_server_not_found',
      `Node ${quote(node.id)}: no MCP server is registered as ${quote(server)}.`,
    )
  }
  if (!(await lookups.mayHaveMcpTool(server, tool))) {
    throw new AppError(
      'mcp_tool_not_found',
      `Node ${quote(node.id)}: the MCP server ${quote(server)} has no tool ${quote(tool)}.`,
    )
  }
}

async function checkRag(node: GraphNode, lookups: Lookups) {
  const { source } = configOf('rag', node)
  if (await lookups.hasRagSource(source)) return
  throw new AppError(
    'rag_source_not_found',
    `Node ${quote(node.id)}: there is no document source ${quote(source)}.`,
  )
}

const bindingOf = ({ tools }: AgentDocument, key: string) =>
  Object.hasOwn(tools, key) ? tools[key] : undefined

const unknownTool = (node: GraphNode, name: string) =>
  new AppError(
    'tool_not_found',
    `Node ${quote(node.id)}: there is no tool ${quote(name)}. Declare it in "tools", or use a built-in one: ${list(Object.keys(BUILTINS))}.`,
  )
