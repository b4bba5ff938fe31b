import { answerParser } from './answer-text/parser'
import { callsOf, type Piece } from './answer-text/pieces'
import type { AnswerReader, ChatDialect } from './dialect'
import { effortVariables } from './reasoning-effort'

/**
 * The MLX servers pass on what a model writes: calls of tools as text where they do not know the model's form of them,
 * the channels of gpt-oss as they are, and reasoning under a name of their own.
 */
export const mlxChat: ChatDialect = { request: mlxRequest, reader: mlxReader }

/** How hard to think is a variable of the chat template there; one that the request sets itself stays. */
function mlxRequest({ reasoning_effort: effort, ...body }: Record<string, unknown>): Record<string, unknown> {
  if (typeof effort !== 'string') return body
  const variables = {
    ...effortVariables(effort),
    ...(body.chat_template_kwargs as object | undefined),
  }
  return { ...body, chat_template_kwargs: variables }
}

interface Choice {
  index?: number
  message?: Message
  delta?: Message
  finish_reason?: string | null
}

interface Message {
  content?: string | null
  reasoning?: string | null
  reasoning_content?: string | null
  tool_calls?: { index?: number }[] | null
}

type Chunk = Record<string, unknown>

function mlxReader(request: Record<string, unknown>): AnswerReader {
  const parser = answerParser({ tools: toolNames(request) })
  let calls = 0
  let begun = false
  let ended = false
  let last: Chunk = {}

  const delta = (chunk: Chunk, delta: object, finish: string | null = null): Chunk => ({
    ...chunk,
    choices: [{ index: 0, delta, finish_reason: finish }],
  })

  function deltaOf(piece: Piece): object {
    switch (piece.kind) {
      case 'content':
        return { content: piece.text }
      case 'reasoning':
        return { reasoning_content: piece.text }
      case 'call':
        return { tool_calls: [{ index: calls++, ...callOf(piece) }] }
      case 'arguments':
        return { tool_calls: [{ index: calls - 1, function: { arguments: piece.text } }] }
    }
  }

  /** The part of a chunk that is no text of the model: role, reasoning and calls that the engine understood. */
  function understood({ content: _content, reasoning, reasoning_content, tool_calls, ...rest }: Message) {
    const thought = reasoning_content || reasoning
    const given = tool_calls?.length ? tool_calls : null
    if (given) calls = Math.max(calls, ...given.map(({ index = calls }) => index + 1))
    const more = { ...(thought && { reasoning_content: thought }), ...(given && { tool_calls: given }) }
    return { said: Object.keys(more).length > 0, delta: { ...rest, ...more } }
  }

  return {
    whole(completion) {
      const [choice] = (completion.choices ?? []) as Choice[]
      const message = choice?.message
      if (!message) return completion
      const pieces = [...parser.push(message.content ?? ''), ...parser.end()]
      const { content: _content, reasoning, reasoning_content, tool_calls, ...rest } = message
      const text = joined(pieces, 'content')
      const thought = (reasoning_content || reasoning || '') + joined(pieces, 'reasoning')
      const made = [...(tool_calls ?? []), ...callsOf(pieces).map(callOf)]
      const read = {
        ...rest,
        content: text === '' && made.length > 0 ? null : text,
        ...(thought === '' ? {} : { reasoning_content: thought }),
        ...(made.length === 0 ? {} : { tool_calls: made }),
      }
      const finish = finishOf(choice.finish_reason ?? null, made.length)
      return { ...completion, choices: [{ ...choice, message: read, finish_reason: finish }] }
    },

    chunk(chunk) {
      const [choice] = (chunk.choices ?? []) as Choice[]
      if (!choice?.delta) return [chunk]
      last = chunk
      const { said, delta: rest } = understood(choice.delta)
      const out = said || !begun ? [delta(chunk, rest)] : []
      begun = true
      const finish = choice.finish_reason ?? null
      const pieces = parser.push(choice.delta.content ?? '')
      if (finish !== null) pieces.push(...parser.end())
      out.push(...pieces.map((piece) => delta(chunk, deltaOf(piece))))
      if (finish === null) return out
      ended = true
      return [...out, delta(chunk, {}, finishOf(finish, calls))]
    },

    end: () => (ended ? [] : parser.end().map((piece) => delta(last, deltaOf(piece)))),
  }
}

/** A call that the limit cut is no call yet. */
const finishOf = (said: string | null, calls: number): string | null =>
  calls > 0 && said !== 'length' ? 'tool_calls' : said

/** Names of the tools that an answer may call. */
function toolNames({ tools, tool_choice: choice }: Record<string, unknown>): Set<string> {
  if (!Array.isArray(tools) || choice === 'none') return new Set()
  return new Set(tools.map((tool) => tool?.function?.name).filter((name) => typeof name === 'string'))
}

const joined = (pieces: Piece[], kind: 'content' | 'reasoning'): string =>
  pieces.map((piece) => (piece.kind === kind ? piece.text : '')).join('')

const callOf = ({ name, arguments: args }: Extract<Piece, { kind: 'call' }>) => ({
  id: `call_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`,
  type: 'function',
  function: { name, arguments: args },
})
