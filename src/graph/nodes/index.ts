import type { NodeTypeName } from '../node-types'
import { guardrail } from './guardrail'
import { human } from './human'
import { quota, ratelimit } from './limits'
import { llm } from './llm'
import { loop } from './loop'
import { mapOver } from './map'
import { imagine, speak, transcribe } from './media'
import { input, output, router, transformNode } from './simple'
import type { Execute } from './step'
import { subgraph } from './subgraph'
import { mcpTool, rag, tool } from './tools'

/** How each node type is run. A type that is declared, but cannot run, has no entry. */
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
  human,
  subgraph,
  loop,
  map: mapOver,
}
