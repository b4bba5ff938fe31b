import type { Attributes, Emit, SpanRef } from '#graph/events'
import { type Split, thinkSplitter } from '#graph/think'
import type { ChatChunk, ChatRequest, Inference } from '../inference'

interface Options {
  inference: Inference
  runId: string
  request: ChatRequest
  /** The span of this generation. */
  span: SpanRef & { phase: string }
  /** Grows while the model answers, so that what came before a failure is not lost. */
  answer: { text: string; reasoning: string }
  emit: Emit
  signal: AbortSignal
}

export interface Generation {
  finishReason: string | null
  attributes: Attributes
  usage: Attributes
}

/** One streamed generation: the answer as `delta`, the thinking as `reasoning`, and a span around it. */
export async function generate({
  inference,
  runId,
  request,
  span,
  answer,
  emit,
  signal,
}: Options): Promise<Generation> {
  const splitter = thinkSplitter()
  const startedAt = performance.now()
  const attributes: Attributes = { 'gen_ai.request.model': request.model }
  let finishReason: string | null = null
  let usage: Attributes = {}
  let isSilent = true

  function tell({ text, reasoning }: Split) {
    if (isSilent && (text !== '' || reasoning !== '')) {
      isSilent = false
      attributes.ttft_ms = Math.round((performance.now() - startedAt) * 10) / 10
    }
    if (reasoning !== '') {
      answer.reasoning += reasoning
      emit({ type: 'reasoning', text: reasoning })
    }
    if (text !== '') {
      answer.text += text
      emit({ type: 'delta', text })
    }
  }

  function take({ choices, usage: counted }: ChatChunk) {
    if (counted) usage = usageAttributes(counted)
    const choice = choices?.[0]
    if (!choice || (choice.index ?? 0) !== 0) return
    const { content, reasoning_content, reasoning } = choice.delta ?? {}
    // `reasoning` is the younger spelling of the same field, which some servers send alone.
    const thought = reasoning_content ?? reasoning
    if (typeof thought === 'string') tell({ text: '', reasoning: thought })
    if (typeof content === 'string') tell(splitter.push(content))
    if (choice.finish_reason) finishReason = choice.finish_reason
  }

  emit({ type: 'span.open', span, nodeType: 'llm', kind: 'activity', attributes })
  try {
    const stream = await inference.chat(request, { runId, signal })
    emit({ type: 'streaming' })
    for await (const chunks of stream) for (const chunk of chunks) take(chunk)
    tell(splitter.flush())
    if (finishReason) attributes['gen_ai.response.finish_reason'] = finishReason
    emit({ type: 'span.close', span, status: 'ok', attributes })
    return { finishReason, attributes, usage }
  } catch (error) {
    emit({ type: 'span.close', span, status: 'err', error: (error as Error).message, attributes })
    throw error
  }
}

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
