import { AppError } from '#kernel/errors'
import { asText } from '#kernel/json'
import type { AgentDocument, GraphNode } from '../ir'
import { configOf } from '../node-types'
import { quote } from '../problem'
import { renderInline, resolveArgs } from '../template'
import { httpCall } from '../tools'
import { BUILTINS, builtinNamed } from './builtins'
import { callHttp } from './http'
import { asOutcome, type Outcome, type StepContext, tryEffect } from './step'

/** The nodes that fetch something from outside, as steps of the graph. Their failures are values. */

export function tool(step: StepContext): Promise<Outcome> {
  const { run, node, inputs, place } = step
  const config = configOf('tool', node)
  const http = httpCall(run.document, node)
  if (http) {
    return asOutcome(
      step,
      tryEffect(step, place, config, (call) =>
        callHttp(run.ports.tools, { http, inputs, nodeId: node.id }, call),
      ),
    )
  }
  const builtin = builtinOf(run.document, node)
  return asOutcome(
    step,
    tryEffect(step, place, config, async (call) =>
      builtin.run(resolveArgs(config.args, inputs), run.ports.tools, call),
    ),
  )
}

/** @throws {AppError} there is no such tool, or it is no tool for a node of this type */
export function builtinOf({ tools }: AgentDocument, node: GraphNode) {
  const { tool: key } = configOf('tool', node)
  const binding = Object.hasOwn(tools, key) ? tools[key] : undefined
  if (binding?.kind === 'mcp') {
    throw new AppError(
      'tool_binding_mismatch',
      `Node ${quote(node.id)}: ${quote(key)} is a tool of an MCP server. Use a node of the type mcp_tool.`,
    )
  }
  const builtin = builtinNamed(binding?.kind === 'builtin' ? binding.ref : key)
  if (builtin) return builtin
  throw new AppError(
    'tool_not_found',
    `Node ${quote(node.id)}: there is no tool ${quote(key)}. Declare it in "tools", or use a built-in one: ${Object.keys(BUILTINS).join(', ')}.`,
  )
}

export function mcpTool(step: StepContext): Promise<Outcome> {
  const { run, node, inputs, place } = step
  const config = configOf('mcp_tool', node)
  const { server, connection, tool: name } = config
  return asOutcome(
    step,
    tryEffect(step, place, config, async (call) =>
      run.ports.tools.mcp({ server, connection, tool: name, args: resolveArgs(config.args, inputs) }, call),
    ),
  )
}

export function rag(step: StepContext): Promise<Outcome> {
  const { run, node, inputs, place } = step
  const config = configOf('rag', node)
  const { source, topK, minSimilarity } = config
  return asOutcome(
    step,
    tryEffect(step, place, config, async (call) => {
      const query = config.query === null ? wholeInput(step) : renderInline(config.query, inputs)
      return run.ports.retrieval.find({ source, query, topK, minSimilarity }, call)
    }),
  )
}

/** The port `in`, or the only one there is. */
function wholeInput({ inputs }: StepContext): string {
  const port = inputs.ports.includes('in') || inputs.ports.length !== 1 ? 'in' : inputs.ports[0]!
  const value = inputs.values.get(port) ?? null
  return value === null ? '' : asText(value)
}
