import type { LlamaContext, LlamaGrammar, LlamaModel, Token } from 'node-llama-cpp'
import { answerParser } from '../../answer-text/parser'
import type { Piece } from '../../answer-text/pieces'
import { generate, recall } from './generate'
import type { ChatRequest } from './request'
import type { Sequences } from './sequences'
import { stopTexts } from './stops'
import { endOfMessage, type Markers, tokenText } from './text'

export interface Prepared {
  request: ChatRequest
  prompt: Token[]
  grammar: LlamaGrammar | null
  /** The prompt ends inside `<think>`. */
  thinking: boolean
}

export type FinishReason = 'stop' | 'length' | 'tool_calls'

export interface Usage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details: { cached_tokens: number }
}

/** The parts of an answer as they come; the last one says how it ended. */
export type Part = Piece | { kind: 'end'; reason: FinishReason; usage: Usage }

interface Deps {
  model: LlamaModel
  context: LlamaContext
  sequences: Sequences
  markers: Markers
}

/** One answer. Its sequence is free again when it has ended, broken off, or its caller has left. */
export async function* answerParts(
  { request, prompt, grammar, thinking }: Prepared,
  { model, context, sequences, markers }: Deps,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  const { sampling, ignoreEnd, tools } = request
  const sequence = await sequences.take(prompt, signal)
  try {
    const cached = await recall(sequence, prompt)
    const text = tokenText(model, markers)
    const stops = stopTexts(request.stops)
    const parser = answerParser({ thinking, tools, forced: request.grammar?.kind === 'call' })
    const limit = Math.min(request.maxTokens ?? Number.POSITIVE_INFINITY, context.contextSize - prompt.length)
    const options = { model, sampling, grammar, ignoreEnd, endOfMessage: endOfMessage(markers), signal }
    let made = 0
    let calls = 0
    let reason: FinishReason = 'length'
    const meant = (pieces: Piece[]) => {
      calls += pieces.filter(({ kind }) => kind === 'call').length
      return pieces
    }

    if (limit > 0) {
      // The model's own end, unless the limit comes first.
      reason = 'stop'
      for await (const token of generate(sequence, prompt, options)) {
        made++
        const { text: ready, stopped } = stops.push(text.push(token))
        yield* meant(parser.push(ready))
        if (stopped) break
        if (made < limit) continue
        reason = 'length'
        break
      }
    }
    const rest = stops.push(text.end()).text + stops.end()
    yield* meant([...parser.push(rest), ...parser.end()])

    // A call that the limit cut is no call yet.
    if (calls > 0 && reason === 'stop') reason = 'tool_calls'
    const usage = {
      prompt_tokens: prompt.length,
      completion_tokens: made,
      total_tokens: prompt.length + made,
      prompt_tokens_details: { cached_tokens: cached },
    }
    yield { kind: 'end', reason, usage }
  } finally {
    sequences.give(sequence)
  }
}
