import type { Llama, LlamaContext, LlamaModel } from 'node-llama-cpp'
import { type HostRoutes, invalid, jsonBody } from '../http'
import { answerParts, type Prepared } from './answer'
import { headOf, streamedAnswer, wholeAnswer } from './completion'
import { grammarCache } from './grammar-cache'
import { chatRequest } from './request'
import { sequencePool } from './sequences'
import { chatTemplate } from './template'
import { markersOf } from './text'

interface Deps {
  llama: Llama
  model: LlamaModel
  context: LlamaContext
  build: string
}

const CALL = '<tool_call>'

/** `/v1/chat/completions` and `/props`. */
export function chatRoutes({ llama, model, context, build }: Deps): HostRoutes {
  const template = chatTemplate(model)
  const markers = markersOf(model)
  const grammars = grammarCache(llama)
  const sequences = sequencePool(Array.from({ length: context.totalSequences }, () => context.getSequence()))

  /** Whatever can be wrong with a request is found before its answer begins. */
  async function prepare(body: Record<string, unknown>): Promise<Prepared> {
    const request = chatRequest(body)
    const rendered = template.render(request.conversation)
    const isCall = request.grammar?.kind === 'call'
    // A model that writes its calls so is led into one; any other gets along with the JSON alone.
    const lead = isCall && template.text.includes(CALL) && !rendered.endsWith(CALL) ? CALL : ''
    const prompt = template.tokenize(rendered + lead)
    if (prompt.length >= context.contextSize) {
      throw invalid(
        `The prompt has ${prompt.length} tokens, and the context of this model holds ${context.contextSize}, its answer included. Shorten it, or register the model with a larger params.ctxSize.`,
      )
    }
    const grammar = request.grammar && (await grammars.get(request.grammar.text))
    return { request, prompt, grammar, thinking: /<think>\s*$/.test(rendered) }
  }

  async function chat(http: Request): Promise<Response> {
    const prepared = await prepare(await jsonBody(http))
    const { model: name, stream, includeUsage } = prepared.request
    const leaving = new AbortController()
    const signal = AbortSignal.any([http.signal, leaving.signal])
    const parts = answerParts(prepared, { model, context, sequences, markers }, signal)
    const head = headOf(name)
    if (stream) return streamedAnswer(parts, head, includeUsage, () => leaving.abort())
    return Response.json(await wholeAnswer(parts, head))
  }

  const props = () => ({
    default_generation_settings: { n_ctx: context.contextSize },
    total_slots: context.totalSequences,
    model_path: model.filename,
    chat_template: template.text,
    modalities: { vision: false, audio: false },
    build_info: build,
    slots: sequences.load(),
  })

  return {
    get: { '/props': () => Response.json(props()) },
    post: { '/v1/chat/completions': chat },
  }
}
