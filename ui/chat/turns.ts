import type { Answer } from './answer'
import { type ChatInput, inputOf } from './input'

/** A turn as the session keeps it. */
export interface StoredTurn {
  kind: 'stored'
  key: string
  input: ChatInput
  text: string
  runId: string | null
  /** Of its first message in the session. */
  position: number
}

/** A turn asked in this tab. */
export interface LiveTurn {
  kind: 'live'
  key: string
  input: ChatInput
  model: string
  agent?: string
  answer: Answer
  /** The connection broke and is being taken up again. */
  reconnecting: boolean
}

export type Turn = StoredTurn | LiveTurn

export interface StoredMessage {
  id: string
  run_id: string | null
  role: string
  content: string
  position: number
}

/**
 * The conversation in order. A turn asked here is in the stored messages too once it is done; the one asked here stays,
 * for it knows the thinking and the pace.
 */
export function turnsOf(messages: readonly StoredMessage[], live: readonly LiveTurn[]): Turn[] {
  const here = new Set(live.flatMap(({ answer: { runId, messageId } }) => [runId, messageId ?? null]))
  const stored = pairs(messages).filter(
    ({ key, runId }) => !here.has(key) && (runId === null || !here.has(runId)),
  )
  return [...stored, ...live]
}

function pairs(messages: readonly StoredMessage[]): StoredTurn[] {
  const turns: StoredTurn[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (message.role === 'user') {
      turns.push({
        kind: 'stored',
        key: message.id,
        input: inputOf(message.content),
        text: '',
        runId: message.run_id,
        position: message.position,
      })
    } else if (last && last.text === '') {
      last.text = message.content
    } else {
      turns.push({
        kind: 'stored',
        key: message.id,
        input: '',
        text: message.content,
        runId: message.run_id,
        position: message.position,
      })
    }
  }
  return turns
}

/** Where in the session the turns from `index` on begin; null where none of them is in it. */
export function positionOf(
  turns: readonly Turn[],
  index: number,
  messages: readonly StoredMessage[],
): number | null {
  const going = turns.slice(index)
  const ids = new Set(
    going.flatMap((turn) => (turn.kind === 'live' ? [turn.answer.runId, turn.answer.messageId] : [])),
  )
  const positions = [
    ...going.flatMap((turn) => (turn.kind === 'stored' ? [turn.position] : [])),
    ...messages
      .filter(({ id, run_id }) => ids.has(id) || (run_id !== null && ids.has(run_id)))
      .map(({ position }) => position),
  ]
  return positions.length === 0 ? null : Math.min(...positions)
}
