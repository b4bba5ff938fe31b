import type { AgentDocument, GraphNode, HttpTool, ToolBinding } from './ir'
import { configOf } from './node-types'
import { list, type ProblemCode } from './problem'
import { isObject } from './read'
import { slotsOf } from './template'

/** Types that work as a step of the graph, or as a tool that a model may call: the edges decide. */
export const isToolish = (type: string): boolean => type === 'tool' || type === 'mcp_tool' || type === 'rag'

const toolBinding = (document: Pick<AgentDocument, 'tools'>, key: string): ToolBinding | undefined =>
  Object.hasOwn(document.tools, key) ? document.tools[key] : undefined

/** What a `tool` node sends over HTTP: its binding, overlaid with what the node states itself. */
export type HttpCall = Omit<HttpTool, 'kind' | 'template'>

/** Nothing where the node calls a built-in tool. */
export function httpCall(
  document: Pick<AgentDocument, 'tools'>,
  node: Pick<GraphNode, 'config'>,
): HttpCall | undefined {
  const config = configOf('tool', node)
  const binding = toolBinding(document, config.tool)
  const http = binding?.kind === 'http' ? binding : undefined
  const connection = config.connection ?? http?.connection
  if (connection === undefined) return undefined
  return {
    connection,
    description: config.description ?? http?.description ?? null,
    parameterSchema: config.parameterSchema ?? http?.parameterSchema ?? null,
    method: config.method ?? http?.method ?? null,
    urlTemplate: config.urlTemplate ?? http?.urlTemplate ?? null,
    bodyTemplate: config.bodyTemplate ?? http?.bodyTemplate ?? null,
    headers: { ...http?.headers, ...config.headers },
    responseMap: config.responseMap ?? http?.responseMap ?? null,
    idempotencyKey: config.idempotencyKey ?? http?.idempotencyKey ?? null,
    timeoutSeconds: config.timeoutSeconds ?? http?.timeoutSeconds ?? null,
  }
}

interface Flaw {
  code: ProblemCode
  message: string
  hint: string
}

/**
 * Why a model could not be offered this HTTP tool: it must describe itself, and its parameters must be the very slots
 * that its templates use. A bare `$in` takes all the parameters, so none of them is unused then.
 */
export function flawsAsCapability(
  tool: Pick<HttpCall, 'description' | 'parameterSchema' | 'urlTemplate' | 'bodyTemplate'>,
): Flaw[] {
  const lacking = (['description', 'parameterSchema'] as const).filter((field) => !tool[field])
  if (lacking.length > 0) {
    const fields = lacking.join(' and ')
    return [
      {
        code: 'tool_not_self_describing',
        message: `lacks ${fields}, without which a model cannot call it`,
        hint: `Add ${fields}.`,
      },
    ]
  }
  const schema = tool.parameterSchema as Record<string, unknown>
  const declared = new Set(isObject(schema.properties) ? Object.keys(schema.properties) : [])
  const { slots, bare } = slotsOf(tool.urlTemplate, tool.bodyTemplate)
  const missing = [...slots].filter((slot) => !declared.has(slot))
  const unused = bare ? [] : [...declared].filter((name) => !slots.has(name))
  return [
    ...(missing.length === 0
      ? []
      : [
          mismatch(
            `uses ${list(missing)}, which parameterSchema does not declare`,
            'Declare them as properties.',
          ),
        ]),
    ...(unused.length === 0
      ? []
      : [
          mismatch(
            `declares ${list(unused)}, which neither urlTemplate nor bodyTemplate uses`,
            'Use each as $in.<name>, or remove it.',
          ),
        ]),
  ]
}

const mismatch = (message: string, hint: string): Flaw => ({ code: 'slot_mismatch', message, hint })
