import { asText } from '#kernel/json'
import { configOf } from '../node-types'
import { list, quote } from '../problem'
import { argumentsOf, type ToolCall } from '../tool-calls'
import type { Offer } from './offers'
import { type StepContext, tryEffect } from './step'

interface Asked {
  offers: ReadonlyMap<string, Offer>
  call: ToolCall
  /** Round of tool calls, from 0. */
  iteration: number
  /** Within its round, from 0. */
  index: number
  /** Among all calls of the node, from 0. */
  count: number
}

/** Does one call that a model asked for; gives the text that goes back to it, whether it worked or not. */
export async function callTool(step: StepContext, { offers, call, iteration, index, count }: Asked) {
  const { name } = call
  const args = argumentsOf(call)
  const span = { node: step.name, phase: `tool.${name}#${iteration}.${index}` }
  const { emit } = step.run
  emit({ type: 'tool_call', tool: name })
  emit({
    type: 'span.open',
    span,
    nodeType: step.node.type,
    kind: 'activity',
    order: step.phases.nextOrder(),
    attributes: { 'tool.name': name },
  })
  try {
    const { ok, content, result } = await effect(step, offers, args, { iteration, call, count })
    record(step, { name, arguments: args, ok, result, iteration, index })
    // A span carries no payload, and a tool's error message is one.
    emit({ type: 'span.close', span, status: ok ? 'ok' : 'err', attributes: { 'tool.ok': ok } })
    return content
  } catch (error) {
    emit({ type: 'span.close', span, status: 'err', attributes: { 'tool.ok': false } })
    throw error
  }
}

interface Result {
  ok: boolean
  /** What the model is told. */
  content: string
  /** What the node's record shows: the result, or its cut text where it is too long. */
  result: unknown
}

async function effect(
  step: StepContext,
  offers: Asked['offers'],
  args: Record<string, unknown>,
  { iteration, call, count }: Pick<Asked, 'iteration' | 'call' | 'count'>,
): Promise<Result> {
  const offer = offers.get(call.name)
  if (!offer) {
    const message = `There is no tool ${quote(call.name)}. Tools: ${list(offers.keys())}.`
    return { ok: false, content: message, result: message }
  }
  const maxChars = configOf('llm', step.node).maxToolResultChars ?? step.run.ports.settings.toolResultMaxChars
  const { run, signal } = step
  const place = `${step.place}/tool@${count}`
  const tried = await tryEffect(
    { run, signal, node: offer.node },
    place,
    offer.patience,
    async (toolCall) => {
      const value = (await offer.run(args, toolCall, `-${step.node.id}-${iteration}-${call.id}`)) ?? null
      const text = asText(value)
      const content = cut(text, maxChars)
      // What is too long for the model is not kept either.
      return { content, result: content === text ? value : content }
    },
  )
  if (tried.ok) return { ok: true, ...tried.value }
  const content = cut(tried.message, maxChars)
  return { ok: false, content, result: content }
}

/** Long text is cut, and says so. Half of a character is none. */
function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const splits = maxChars > 0 && /[\uD800-\uDBFF]/.test(text[maxChars - 1]!)
  const kept = text.slice(0, splits ? maxChars - 1 : maxChars)
  return `${kept}\n[… ${text.length - kept.length} characters omitted]`
}

function record({ inspection }: StepContext, entry: Record<string, unknown>) {
  const calls = (inspection.tool_calls ?? []) as unknown[]
  inspection.tool_calls = [...calls, entry]
}
