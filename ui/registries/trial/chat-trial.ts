import type { Failure } from '../../chat/answer'

/** One question put straight to a model, and what came back. Times are epoch milliseconds. */
export interface Trial {
  phase: 'waiting' | 'streaming' | 'done' | 'failed' | 'stopped'
  text: string
  reasoning: string
  /** Pieces of the stream: about one a token, where the provider does not count. */
  pieces: number
  /** As the provider counts them. */
  tokens: number | null
  finishReason: string | null
  failure: Failure | null
  askedAt: number
  firstTokenAt: number | null
  endedAt: number | null
}

export const newTrial = (now: number): Trial => ({
  phase: 'waiting',
  text: '',
  reasoning: '',
  pieces: 0,
  tokens: null,
  finishReason: null,
  failure: null,
  askedAt: now,
  firstTokenAt: null,
  endedAt: null,
})

/** A chunk of the standard chat stream, as far as it matters here; also what a failure in mid-stream looks like. */
interface Chunk {
  choices?: {
    delta?: { content?: string | null; reasoning_content?: string | null; reasoning?: string | null }
    finish_reason?: string | null
  }[]
  usage?: { completion_tokens?: number } | null
  error?: Failure
}

export function withChunk(trial: Trial, data: string, now: number): Trial {
  if (data === '[DONE]') return ended(trial, 'done', now)
  const { choices, usage, error } = JSON.parse(data) as Chunk
  if (error) return withProblem(trial, error, now)
  const [choice] = choices ?? []
  const text = choice?.delta?.content ?? ''
  const reasoning = choice?.delta?.reasoning_content ?? choice?.delta?.reasoning ?? ''
  const isToken = text !== '' || reasoning !== ''
  return {
    ...trial,
    phase: isToken ? 'streaming' : trial.phase,
    text: trial.text + text,
    reasoning: trial.reasoning + reasoning,
    pieces: trial.pieces + (isToken ? 1 : 0),
    tokens: usage?.completion_tokens ?? trial.tokens,
    finishReason: choice?.finish_reason ?? trial.finishReason,
    firstTokenAt: trial.firstTokenAt ?? (isToken ? now : null),
    // The count of tokens may come long after the last of them.
    endedAt: isToken ? now : trial.endedAt,
  }
}

export const ended = (trial: Trial, phase: 'done' | 'stopped', now: number): Trial => ({
  ...trial,
  phase,
  endedAt: trial.endedAt ?? now,
})

export const withProblem = (trial: Trial, failure: Failure, now: number): Trial => ({
  ...trial,
  phase: 'failed',
  failure,
  endedAt: now,
})

export const isGoingOn = ({ phase }: Trial) => phase === 'waiting' || phase === 'streaming'

export interface Figures {
  firstTokenMs: number | null
  tokens: number
  /** The provider did not count: one piece of the stream is taken for one token. */
  counted: boolean
  tokensPerSecond: number | null
}

/** The speed is that of the stream: the first token begins it and is not part of it. */
export function figuresOf({ askedAt, firstTokenAt, endedAt, pieces, tokens }: Trial, now: number): Figures {
  const total = tokens ?? pieces
  const streamedMs = firstTokenAt === null ? 0 : (endedAt ?? now) - firstTokenAt
  return {
    firstTokenMs: firstTokenAt === null ? null : firstTokenAt - askedAt,
    tokens: total,
    counted: tokens === null,
    tokensPerSecond: total < 2 || streamedMs <= 0 ? null : ((total - 1) * 1000) / streamedMs,
  }
}
