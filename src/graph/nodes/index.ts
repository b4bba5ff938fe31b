import type { NodeTypeName } from '../node-types'
import { guardrail } from './guardrail'
import { quota, ratelimit } from './limits'
import { llm } from './llm'
import { imagine, speak, transcribe } from './media'
import { input, output, router, transformNode } from './simple'
import type { Execute } from './step'
import { mcpTool, rag, tool } from './tools'

/**
 * How each node type is run. Those that have to outlive the process (human, subgraph, loop, map) have no entry: a graph
 * with one of them is refused before it gets here.
 */
export const NODES: Readonly<Partial<Record<NodeTypeName, Execute>>> = {
  input,
  output,
  llm,
  tool,
  mcp_tool: mcpTool,
  rag,
  router,
  guardrail,
  transform: transformNode,
  ratelimit,
  quota,
  transcribe,
  speak,
  imagine,
}
