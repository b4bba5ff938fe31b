import type { Answer } from './answer'
import { type ChatInput, inputOf } from './input'

/** A turn as the session keeps it. */
export interface StoredTurn {
  kind: 'stored'
  key: string
  input: ChatInput
  text: string
  runId: string | null
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
  const here = new Set(live.map(({ answer }) => answer.runId))
  const stored = pairs(messages).filter(({ runId }) => runId === null || !here.has(runId))
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
      })
    } else if (last && last.text === '') {
      last.text = message.content
    } else {
      turns.push({ kind: 'stored', key: message.id, input: '', text: message.content, runId: message.run_id })
    }
  }
  return turns
}
