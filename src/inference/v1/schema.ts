import { Kind, type TProperties } from '@sinclair/typebox'
import { t } from 'elysia'

export const V1Models = t.Object({
  object: t.Literal('list'),
  data: t.Array(
    t.Object({
      id: t.String({ description: 'The logical id.' }),
      object: t.Literal('model'),
      owned_by: t.String(),
    }),
  ),
})

/**
 * Documented, not checked: what a provider makes of a request is the provider's to say, and a long conversation is not
 * walked through for nothing. The services look at the fields that they use.
 */
const documented = (properties: TProperties, required: string[]) =>
  t.Unsafe<unknown>({ ...t.Object(properties), required, additionalProperties: true, [Kind]: 'Any' })

const model = t.String({ description: 'The logical id of a registered model.' })

export const ChatRequest = documented(
  {
    model,
    messages: t.Array(t.Any(), { description: 'Content is text, or parts `text` and `image_url`.' }),
    stream: t.Boolean(),
  },
  ['model', 'messages'],
)
export const EmbeddingsRequest = documented({ model, input: t.Union([t.String(), t.Array(t.String())]) }, [
  'model',
  'input',
])
export const SpeechRequest = documented(
  { model, input: t.String(), voice: t.String(), response_format: t.String(), speed: t.Number() },
  ['model', 'input'],
)
export const ImagesRequest = documented(
  {
    model,
    prompt: t.String(),
    size: t.String({ description: '`WxH`' }),
    n: t.Integer(),
    steps: t.Integer(),
    response_format: t.Literal('b64_json'),
  },
  ['model', 'prompt'],
)

/** A form cannot be a `body` schema: its bytes stay unread until the service takes them, with its own bound. */
export const transcriptionForm: Record<string, unknown> = {
  requestBody: {
    required: true,
    content: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          required: ['model', 'file'],
          properties: {
            model: { type: 'string' },
            file: { type: 'string', format: 'binary' },
            language: { type: 'string' },
            prompt: { type: 'string' },
            response_format: { type: 'string' },
          },
        },
      },
    },
  },
}

const answer = (description: string, contentType = 'application/json') => t.Any({ description, contentType })

export const ChatAnswer = answer(
  'A completion; with `stream: true` a stream of server-sent events, as the provider sends them.',
)
export const EmbeddingsAnswer = answer('Embeddings, as the provider made them.')
export const Transcript = answer('The transcript, in the format that was asked for.')
export const Audio = answer('The audio.', 'application/octet-stream')
export const ImagesAnswer = answer(
  '`{data: [{b64_json}]}`; white space may come before it while a render runs.',
)
