import type { LlamaEmbeddingContext, LlamaModel } from 'node-llama-cpp'
import { type HostRoutes, invalid, jsonBody } from '../http'
import type { HostOptions } from '../options'

/** Texts of one request: as many as OpenAI's own service takes. */
const MAX_INPUTS = 2048

interface Deps {
  model: LlamaModel
  context: LlamaEmbeddingContext
  build: string
  options: HostOptions
}

type Input = string | number[]

/** `/v1/embeddings`: one vector of length 1 for each text. */
export function embeddingRoutes({ model, context, build, options }: Deps): HostRoutes {
  async function embed(request: Request): Promise<Response> {
    const body = await jsonBody(request)
    const inputs = inputsOf(body.input)
    const base64 = isBase64(body.encoding_format)
    const tokens = inputs.map((input) => tokensOf(model, input))
    tokens.forEach(checkLength)
    const data: { object: 'embedding'; index: number; embedding: number[] | string }[] = []
    for (const [index, one] of tokens.entries()) {
      // Nobody waits for the rest of a batch whose caller left.
      request.signal.throwIfAborted()
      const { vector } = await context.getEmbeddingFor(one)
      data.push({ object: 'embedding', index, embedding: written(unit(vector), base64) })
    }
    const count = tokens.reduce((sum, { length }) => sum + length, 0)
    return Response.json({
      object: 'list',
      model: body.model,
      data,
      usage: { prompt_tokens: count, total_tokens: count },
    })
  }

  function checkLength({ length }: readonly number[], index: number) {
    if (length === 0) throw invalid(`input[${index}] is empty.`)
    if (length < options.context) return
    throw invalid(
      `input[${index}] has ${length} tokens, and the context of this model holds ${options.context - 1}. Split it, or register the model with a larger params.ctxSize.`,
    )
  }

  return {
    get: { '/props': () => Response.json(propsOf(model, options.context, build)) },
    post: { '/v1/embeddings': embed },
  }
}

const propsOf = (model: LlamaModel, context: number, build: string) => ({
  default_generation_settings: { n_ctx: context },
  model_path: model.filename,
  modalities: { vision: false, audio: false },
  build_info: build,
})

function inputsOf(input: unknown): Input[] {
  const inputs: unknown[] = typeof input === 'string' || isTokens(input) ? [input] : (input as unknown[])
  if (!Array.isArray(inputs) || inputs.length === 0 || !inputs.every(isInput)) {
    throw invalid('input: must be a text, a list of texts, or lists of tokens.')
  }
  if (inputs.length > MAX_INPUTS) throw invalid(`input: may hold ${MAX_INPUTS} texts, not ${inputs.length}.`)
  return inputs
}

const isInput = (input: unknown): input is Input => typeof input === 'string' || isTokens(input)

const isTokens = (input: unknown): input is number[] =>
  Array.isArray(input) && input.length > 0 && input.every(Number.isInteger)

/** Tokens of other models mean other words, or nothing at all, which ends the process in native code. */
function tokensOf(model: LlamaModel, input: Input) {
  if (typeof input === 'string') return model.tokenize(input)
  const known = model.fileInfo.metadata.tokenizer.ggml.tokens.length
  if (input.some((token) => token < 0 || token >= known)) {
    throw invalid(`input: holds a token that this model, with ${known} of them, does not have.`)
  }
  return input as ReturnType<LlamaModel['tokenize']>
}

function isBase64(format: unknown): boolean {
  if (format === undefined || format === 'float') return false
  if (format === 'base64') return true
  throw invalid('encoding_format: must be float or base64.')
}

function unit(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}

const written = (vector: number[], base64: boolean): number[] | string =>
  base64 ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector
