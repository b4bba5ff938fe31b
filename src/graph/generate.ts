import { AppError } from '#kernel/errors'
import { unlessAborted, untilAborted } from './abort'
import type { Attributes, Emit, SpanRef } from './events'
import type { Call, ChatChunk, ChatDelta, ChatRequest, Clock, ModelPort } from './ports'
import { type Split, thinkSplitter } from './think'
import { callCollector, type ToolCall } from './tool-calls'

interface Options {
  chat: ModelPort['chat']
  clock: Pick<Clock, 'elapsed'>
  request: ChatRequest
  call: Call
  /** The span of this generation. */
  span: SpanRef & { phase: string }
  nodeType?: string
  order?: number
  /** A prompt run shows its tokens on its node instead: they must count once. */
  usageOnSpan?: boolean
  /** Grows while the model answers, so that what came before a failure is not lost. */
  answer: Answer
  emit: Emit
}

interface Answer {
  text: string
  reasoning: string
}

export interface Generation {
  finishReason: string | null
  /** What the model wants called, in its own order. */
  toolCalls: ToolCall[]
  attributes: Attributes
  usage: Attributes
}

/** Far above any answer; a model that streams for ever must end somewhere. */
const MAX_ANSWER_CHARS = 16_000_000

/** One streamed generation: the answer as `delta`, the thinking as `reasoning`, and a span around it. */
export async function generate(options: Options): Promise<Generation> {
  const { chat, request, call, span, emit, usageOnSpan = false } = options
  const reader = chunkReader(options)
  const { attributes } = reader
  emit({
    type: 'span.open',
    span,
    nodeType: options.nodeType ?? 'llm',
    kind: 'activity',
    attributes,
    ...(options.order === undefined ? {} : { order: options.order }),
  })
  try {
    const stream = await unlessAborted(chat(request, call), call.signal)
    emit({ type: 'streaming' })
    for await (const chunks of untilAborted(stream, call.signal))
      for (const chunk of chunks) reader.take(chunk)
    const { finishReason, toolCalls, usage } = reader.end()
    if (finishReason) attributes['gen_ai.response.finish_reason'] = finishReason
    const shown = usageOnSpan ? { ...attributes, ...usage } : attributes
    emit({ type: 'span.close', span, status: 'ok', attributes: shown })
    return { finishReason, toolCalls, attributes, usage }
  } catch (error) {
    emit({ type: 'span.close', span, status: 'err', error: (error as Error).message, attributes })
    throw error
  }
}

/** Takes a stream's chunks in and tells what they say. */
function chunkReader({ clock, request, answer, emit }: Options) {
  const splitter = thinkSplitter()
  const calls = callCollector()
  const startedAt = clock.elapsed()
  const attributes: Attributes = { 'gen_ai.request.model': request.model }
  let finishReason: string | null = null
  let usage: Attributes = {}
  let isSilent = true

  function tell({ text, reasoning }: Split) {
    if (isSilent && (text !== '' || reasoning !== '')) {
      isSilent = false
      attributes.ttft_ms = Math.round((clock.elapsed() - startedAt) * 10) / 10
    }
    if (answer.text.length + answer.reasoning.length > MAX_ANSWER_CHARS) throw endless()
    if (reasoning !== '') {
      answer.reasoning += reasoning
      emit({ type: 'reasoning', text: reasoning })
    }
    if (text !== '') {
      answer.text += text
      emit({ type: 'delta', text })
    }
  }

  function takeDelta({ content, reasoning_content, reasoning, tool_calls }: ChatDelta) {
    // `reasoning` is the younger spelling of the same field, which some servers send alone.
    const thought = reasoning_content ?? reasoning
    if (typeof thought === 'string') tell({ text: '', reasoning: thought })
    if (typeof content === 'string') tell(splitter.push(content))
    calls.take(tool_calls)
  }

  return {
    attributes,

    take({ choices, usage: counted, load_ms }: ChatChunk) {
      if (typeof load_ms === 'number') attributes.load_ms = load_ms
      if (counted) usage = usageAttributes(counted)
      const choice = Array.isArray(choices) ? choices[0] : undefined
      if (!choice || (choice.index ?? 0) !== 0) return
      takeDelta(choice.delta ?? {})
      if (typeof choice.finish_reason === 'string' && choice.finish_reason)
        finishReason = choice.finish_reason
    },

    end() {
      tell(splitter.flush())
      return { finishReason, usage, toolCalls: calls.all() }
    },
  }
}

const endless = () =>
  new AppError(
    'output_too_large',
    `The model sent more than ${MAX_ANSWER_CHARS} characters in one answer. Set maxTokens.`,
  )

function usageAttributes({
  prompt_tokens,
  completion_tokens,
  total_tokens,
}: NonNullable<ChatChunk['usage']>): Attributes {
  const counted = {
    'gen_ai.usage.input_tokens': prompt_tokens,
    'gen_ai.usage.output_tokens': completion_tokens,
    'gen_ai.usage.total_tokens': total_tokens,
  }
  return Object.fromEntries(
    Object.entries(counted).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  )
}

/** Generation parameters as the providers spell them: `maxTokens` → `max_tokens`. What is inside is the caller's own. */
export const lowered = (params: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(params).map(([key, value]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  )
