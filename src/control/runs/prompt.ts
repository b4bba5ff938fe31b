import type { Attributes, Execute } from '#graph/events'
import { generate, lowered } from '#graph/generate'
import { AppError } from '#kernel/errors'
import { asText } from '#kernel/json'
import type { Inference } from '../inference'

/** A prompt run has no graph: it shows as one llm node. */
const NODE = 'llm'
/** Names of bindings, which callers now and then send for a model's id. */
const ENGINES = ['mlx', 'llamacpp']
const TOKEN_LIMIT = `Node ${NODE} hit its token limit (finish_reason length) before it answered: raise maxTokens.`

interface Prompt {
  inference: Inference
  runId: string
  model: string
  input: unknown
  params: Record<string, unknown>
  /** The session's messages so far, oldest first. */
  history: { role: 'user' | 'assistant'; content: string }[]
}

/** The work of a prompt run: one model call on one message. */
export function promptRun({ inference, runId, model, input, params, history }: Prompt): Execute {
  return async (emit, signal) => {
    const span = { node: NODE }
    const answer = { text: '', reasoning: '' }
    emit({
      type: 'span.open',
      span,
      nodeType: NODE,
      kind: 'activity',
      attributes: { 'gen_ai.request.model': model },
    })
    /** The record comes before the span closes, which carries its sizes. */
    const close = (end: { status: 'ok' | 'err'; error?: string; attributes?: Attributes }) => {
      const { text: output, reasoning } = answer
      const outputs = { output, ...(reasoning ? { reasoning } : {}) }
      emit({ type: 'node.io', node: NODE, inputs: { prompt: input }, outputs })
      emit({ type: 'span.close', span, ...end })
    }
    try {
      refuseEngineName(model)
      const { finishReason, attributes, usage } = await generate({
        chat: inference.chat,
        clock: { elapsed: () => performance.now() },
        call: { runId, place: NODE, signal },
        request: { ...lowered(params), model, messages: [...history, userMessage(input)] },
        span: { node: NODE, phase: 'model.generate' },
        answer,
        emit,
      })
      // One model call is the whole node, so the node shows the call's figures too.
      close({ status: 'ok', attributes: { ...attributes, ...usage } })
      const isCutShort = answer.text.trim() === '' && finishReason === 'length'
      return { output: answer.text, ...(isCutShort ? { note: TOKEN_LIMIT, note_code: 'token_limit' } : {}) }
    } catch (error) {
      close({ status: 'err', error: (error as Error).message })
      throw error
    }
  }
}

function refuseEngineName(model: string) {
  if (!ENGINES.includes(model)) return
  throw new AppError(
    'model_not_found',
    `${model} is the name of an engine. Models are called by the logical id they are registered under.`,
  )
}

/** An object with the texts `text` and `image` becomes parts; any other value is text, or goes as JSON. */
function userMessage(input: unknown) {
  const { text, image } = (input ?? {}) as { text?: unknown; image?: unknown }
  if (typeof text !== 'string' || typeof image !== 'string') {
    return { role: 'user' as const, content: asText(input) }
  }
  return {
    role: 'user' as const,
    content: [
      { type: 'text', text },
      { type: 'image_url', image_url: { url: image } },
    ],
  }
}
