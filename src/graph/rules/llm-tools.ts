import type { Draft } from '../draft'
import { at, list, type Problem, quote } from '../problem'
import { flawsAsCapability } from '../tools'
import { belowOne, problem, type TypedNode } from './nodes'

type LlmNode = Extract<TypedNode, { type: 'llm' }>

/** Rule 8: an llm that lists tools. */
export const llmTools = (draft: Draft, typed: TypedNode[]): Problem[] =>
  typed.flatMap((node) =>
    node.type === 'llm' && node.filled.tools.length > 0
      ? [
          ...(node.filled.maxToolIterations < 1 ? [belowOne(node, 'maxToolIterations')] : []),
          ...listedTwice(node),
          ...undeclared(draft, node),
          ...unlistedChoice(draft, node),
          ...notSelfDescribing(draft, node),
        ]
      : [],
  )

function listedTwice(node: LlmNode): Problem[] {
  const seen = new Set<string>()
  return node.filled.tools.flatMap((key, index) => {
    const known = seen.has(key)
    seen.add(key)
    const message = `lists the tool ${quote(key)} twice`
    return known ? [problem(node, 'duplicate_tool', `/config/tools/${index}`, message, 'Remove one.')] : []
  })
}

const undeclared = ({ tools }: Draft, node: LlmNode): Problem[] =>
  node.filled.tools.flatMap((key, index) => {
    if (tools.has(key)) return []
    const message = `lists the tool ${quote(key)}, which the document does not declare`
    const hint = `Add it to "tools", or use one of these: ${list(tools.keys())}.`
    return [problem(node, 'unknown_tool', `/config/tools/${index}`, message, hint)]
  })

function unlistedChoice({ edges }: Draft, node: LlmNode): Problem[] {
  const { toolChoice, tools } = node.filled
  if (typeof toolChoice === 'string') return []
  const { name } = toolChoice.function
  // A wired capability is offered under the id of its node.
  const wired = edges.some(
    (edge) => edge.channel === 'tool' && edge.target === node.id && edge.source === name,
  )
  if (wired || tools.includes(name)) return []
  const message = `must call the tool ${quote(name)}, which it does not list`
  const hint = `Add it to config.tools, or name one of these: ${list(tools)}.`
  return [problem(node, 'tool_choice_not_listed', '/config/toolChoice', message, hint)]
}

const notSelfDescribing = ({ tools }: Draft, node: LlmNode): Problem[] =>
  [...new Set(node.filled.tools)].flatMap((key) => {
    const binding = tools.get(key)
    if (binding?.kind !== 'http') return []
    return flawsAsCapability(binding).map(({ code, message, hint }) => ({
      ...problem(node, code, '', `lists the tool ${quote(key)}, which ${message}`, hint),
      path: at('/tools', key),
    }))
  })
