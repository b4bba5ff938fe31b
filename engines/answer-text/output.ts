import { callsIn } from './calls'
import { overlap } from './overlap'

export type Piece =
  | { kind: 'content'; text: string }
  | { kind: 'reasoning'; text: string }
  | { kind: 'call'; name: string; arguments: string }

interface Options {
  /** The prompt ended inside `<think>`, as some templates have it. */
  thinking: boolean
  /** Names of the tools on offer; none where the answer can call none. */
  tools: ReadonlySet<string>
  /** A grammar made the answer one call and nothing else. */
  forced: boolean
}

const THINK = '<think>'
const THINK_END = '</think>'
const CALL = '<tool_call>'
const CALL_END = '</tool_call>'
const PYTHON = '<|python_tag|>'
/** A call written as bare JSON says early what it is. */
const BARE_CALL = /^\{\s*"(name|type|function|parameters|arguments)"/
const SURE_CHARS = 24

/**
 * What the text of a model means, as it comes:
 *
 *     start → reasoning → start → answer ⇄ call
 *                               ↘ bare
 *
 * 1. `<think>` begins its reasoning, at the start only: later it is a word like any other.
 * 2. `<tool_call>` holds a call as JSON (Hermes, Qwen); Llama writes the bare JSON instead, which is a call where it
 *    names a tool on offer.
 * 3. What was meant as a call and cannot be read as one is text again: nothing that a model said is lost.
 */
export function outputParser({ thinking, tools, forced }: Options) {
  let state: 'start' | 'reasoning' | 'answer' | 'call' | 'bare' = thinking ? 'reasoning' : 'start'
  if (forced) state = 'bare'
  let mayThink = !thinking
  /** White space around a thought or a call belongs to neither. */
  let trims = thinking
  let held = ''
  let out: Piece[] = []

  /** One step on; false where more text must come first. */
  function step(): boolean {
    switch (state) {
      case 'start':
        return begin(held.trimStart())
      case 'reasoning':
        return upTo(THINK_END, 'reasoning', 'start')
      case 'answer':
        return upTo(tools.size > 0 ? CALL : '', 'content', 'call')
      case 'call':
        return endCall(held.indexOf(CALL_END))
      case 'bare':
        return keepBare()
    }
  }

  function begin(text: string): boolean {
    const calls = tools.size > 0
    if (mayThink && text.startsWith(THINK)) return enter('reasoning', text.slice(THINK.length))
    if (calls && text.startsWith(PYTHON)) return enter('bare', text.slice(PYTHON.length))
    if (calls && text.startsWith('{')) return enter('bare', text)
    const undecided =
      text === '' || (mayThink && THINK.startsWith(text)) || (calls && PYTHON.startsWith(text))
    if (undecided) return false
    state = 'answer'
    return true
  }

  function enter(next: typeof state, text: string): true {
    state = next
    held = text
    trims = true
    return true
  }

  /** Everything before `mark` is a piece of `kind`; what may be its beginning waits. */
  function upTo(mark: string, kind: 'content' | 'reasoning', next: typeof state): boolean {
    if (trims) held = held.trimStart()
    const at = mark === '' ? -1 : held.indexOf(mark)
    if (at !== -1) {
      emit(kind, held.slice(0, at).trimEnd())
      mayThink = false
      return enter(next, held.slice(at + mark.length))
    }
    const text = held.slice(0, held.length - overlap(held, mark))
    const ready = mark === '' ? text : text.trimEnd()
    if (ready !== '') trims = false
    emit(kind, ready)
    held = held.slice(ready.length)
    return false
  }

  function endCall(at: number): boolean {
    if (at === -1) return false
    const text = held.slice(0, at)
    out.push(...(callsIn(text) ?? [{ kind: 'content' as const, text: CALL + text + CALL_END }]))
    return enter('answer', held.slice(at + CALL_END.length))
  }

  function keepBare(): boolean {
    if (forced || held.length < SURE_CHARS || BARE_CALL.test(held)) return false
    state = 'answer'
    return true
  }

  function emit(kind: 'content' | 'reasoning', text: string) {
    if (text !== '') out.push({ kind, text })
  }

  function callsHeld(): Piece[] | null {
    if (state === 'bare') return callsIn(held, tools)
    return state === 'call' ? callsIn(held) : null
  }

  function leave() {
    const calls = callsHeld()
    if (calls) out.push(...calls)
    else if (state === 'reasoning') emit('reasoning', held.trimEnd())
    else emit('content', (state === 'call' ? CALL : '') + (trims ? held.trim() : held))
  }

  function taken(): Piece[] {
    const pieces = out
    out = []
    return pieces
  }

  return {
    push(text: string): Piece[] {
      held += text
      while (step());
      return taken()
    },

    /** What still waited, when the model has ended. */
    end(): Piece[] {
      leave()
      held = ''
      return taken()
    },
  }
}
