import { type Answer, isOver } from './answer'
import { type ChatInput, fileOf, textOf } from './input'

/** The turn that a reload would lose: kept for this tab, text and event position in one piece so they always agree. */
export interface Unfinished {
  sessionId: string
  model: string
  agent?: string
  input: ChatInput
  answer: Answer
}

/** What `sessionStorage` does; tests pass their own. */
export type Shelf = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** Of a question that is kept in a browser without room. */
const MOST_CHARACTERS = 10_000

const keyOf = (sessionId: string) => `tycho.chat.${sessionId}`

/**
 * Keeps the turn. A browser that has no room for all of it keeps the run's id only: the stream is then heard from its
 * beginning again.
 */
export function keep(shelf: Shelf, turn: Unfinished): void {
  const key = keyOf(turn.sessionId)
  if (put(shelf, key, turn)) return
  const { runId, askedAt } = turn.answer
  const bare: Unfinished = {
    ...turn,
    input:
      fileOf(turn.input) ??
      (typeof turn.input === 'string'
        ? turn.input.slice(0, MOST_CHARACTERS)
        : { text: textOf(turn.input).slice(0, MOST_CHARACTERS), image: '' }),
    answer: {
      ...turn.answer,
      runId,
      askedAt,
      text: '',
      reasoning: '',
      lastEventId: null,
      pieces: 0,
      tools: [],
    },
  }
  if (!put(shelf, key, bare)) shelf.removeItem(key)
}

export function kept(shelf: Shelf, sessionId: string): Unfinished | null {
  const text = shelf.getItem(keyOf(sessionId))
  if (text === null) return null
  try {
    const turn = JSON.parse(text) as Unfinished
    // Nothing to take up again: the page left before the server answered.
    return turn.answer.runId === null && !isOver(turn.answer) ? null : turn
  } catch {
    // An older version of this page wrote it.
    return null
  }
}

export const forget = (shelf: Shelf, sessionId: string) => shelf.removeItem(keyOf(sessionId))

function put(shelf: Shelf, key: string, turn: Unfinished): boolean {
  try {
    shelf.setItem(key, JSON.stringify(turn))
    return true
  } catch {
    // Over the browser's quota.
    return false
  }
}
