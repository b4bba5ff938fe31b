import { texts } from '../texts/chat'

/** One event of a run's stream (`POST /runs`, `GET /runs/{id}/stream`). */
export interface RunFrame {
  event?: string
  id?: string
  data: string
}

export interface Failure {
  code?: string
  message: string
}

export type AnswerPhase = 'connecting' | 'thinking' | 'answering' | 'completed' | 'failed' | 'stopped'

/** What is known of one answer while it comes in. Times are epoch milliseconds of this browser. */
export interface Answer {
  phase: AnswerPhase
  runId: string | null
  /** A durable run: it has no stream, its record and its trace tell how it goes. */
  durable?: boolean
  /** Of a turn that was no run: its first message in the session. */
  messageId?: string | null
  /** Where a re-attached stream goes on. */
  lastEventId: string | null
  text: string
  reasoning: string
  /** Names of the tools that the model called. */
  tools: string[]
  /** Pieces of text and thinking received: about one a token. */
  pieces: number
  failure: Failure | null
  askedAt: number
  firstTokenAt: number | null
  thinkingEndedAt: number | null
  endedAt: number | null
}

export const newAnswer = (now: number): Answer => ({
  phase: 'connecting',
  runId: null,
  lastEventId: null,
  text: '',
  reasoning: '',
  tools: [],
  pieces: 0,
  failure: null,
  askedAt: now,
  firstTokenAt: null,
  thinkingEndedAt: null,
  endedAt: null,
})

export const isOver = ({ phase }: Answer) =>
  phase === 'completed' || phase === 'failed' || phase === 'stopped'

/** Text of a run's `error` when it was stopped on purpose. */
const CANCELLED = 'cancelled'

export const DONE = '[DONE]'

/** The answer after one more frame. A frame heard twice, as after a re-attachment, changes nothing. */
export function withFrame(answer: Answer, frame: RunFrame, now: number): Answer {
  if (frame.data === DONE || heardBefore(answer.lastEventId, frame.id)) return answer
  const seen = frame.id === undefined ? answer : { ...answer, lastEventId: frame.id }
  const data = JSON.parse(frame.data) as FrameData
  switch (frame.event) {
    case 'run':
      return withStatus({ ...seen, runId: data.runId ?? seen.runId }, data, now)
    case 'reasoning':
      return withReasoning(seen, data.reasoning ?? '', now)
    case 'delta':
      return withText(seen, data.delta ?? '', now)
    case 'tool_call':
      return { ...seen, tools: [...seen.tools, data.toolCall ?? ''] }
    default:
      // Kinds of frames that a newer server may add.
      return seen
  }
}

/** The answer as its run record tells it, when the stream itself is gone. */
export function withRecord(
  answer: Answer,
  run: { status: string; output: string | null; error: string | null },
  now: number,
): Answer {
  if (run.status === 'completed') {
    return { ...over(answer, 'completed', now), text: run.output || answer.text, failure: noteOf(run.error) }
  }
  return run.status === 'failed' ? withFailure(answer, { message: run.error ?? '' }, now) : answer
}

export function withFailure(answer: Answer, failure: Failure, now: number): Answer {
  return failure.message === CANCELLED
    ? over(answer, 'stopped', now)
    : { ...over(answer, 'failed', now), failure }
}

interface FrameData {
  runId?: string
  status?: string
  error?: string | { message: string; code?: string }
  delta?: string
  reasoning?: string
  toolCall?: string
}

function withStatus(answer: Answer, { status, error }: FrameData, now: number): Answer {
  if (status === 'completed') return over(answer, 'completed', now)
  if (status !== 'failed') return answer
  const failure = typeof error === 'object' ? error : { message: error ?? texts.failures.unexplained }
  return withFailure(answer, failure, now)
}

const withReasoning = (answer: Answer, piece: string, now: number): Answer => ({
  ...answer,
  phase: 'thinking',
  reasoning: answer.reasoning + piece,
  pieces: answer.pieces + 1,
  firstTokenAt: answer.firstTokenAt ?? now,
  thinkingEndedAt: null,
})

const withText = (answer: Answer, piece: string, now: number): Answer => ({
  ...answer,
  phase: 'answering',
  text: answer.text + piece,
  pieces: answer.pieces + 1,
  firstTokenAt: answer.firstTokenAt ?? now,
  thinkingEndedAt: endOfThinking(answer, now),
})

const over = (answer: Answer, phase: AnswerPhase, now: number): Answer => ({
  ...answer,
  phase,
  endedAt: answer.endedAt ?? now,
  thinkingEndedAt: endOfThinking(answer, now),
})

const endOfThinking = ({ reasoning, thinkingEndedAt }: Answer, now: number) =>
  reasoning === '' ? null : (thinkingEndedAt ?? now)

/** The note that explains an empty output is in the record's `error`, though the run completed. */
const noteOf = (error: string | null): Failure | null => (error ? { message: error } : null)

function heardBefore(last: string | null, id: string | undefined): boolean {
  if (last === null || id === undefined) return false
  return id === last || ordinal(id) < ordinal(last)
}

/** The counting part of an event id. Ids that do not count compare as never smaller. */
const ordinal = (id: string) => {
  const digits = /\d+$/.exec(id)?.[0]
  return digits === undefined ? Number.NaN : Number(digits)
}

export interface Pace {
  firstTokenMs: number | null
  /** From the first to the last piece; null while there is too little to tell. */
  tokensPerSecond: number | null
}

/** How fast the answer came, as seen here. */
export function paceOf({ askedAt, firstTokenAt, endedAt, pieces }: Answer, now: number): Pace {
  if (firstTokenAt === null) return { firstTokenMs: null, tokensPerSecond: null }
  const streamedMs = (endedAt ?? now) - firstTokenAt
  return {
    firstTokenMs: firstTokenAt - askedAt,
    tokensPerSecond: pieces < 3 || streamedMs < 50 ? null : ((pieces - 1) * 1000) / streamedMs,
  }
}

/** How long the model thought, in milliseconds; null when it did not. */
export function thinkingMs({ reasoning, firstTokenAt, thinkingEndedAt }: Answer, now: number): number | null {
  return reasoning === '' || firstTokenAt === null ? null : (thinkingEndedAt ?? now) - firstTokenAt
}
