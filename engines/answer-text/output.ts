import { callHead, objectText } from './arguments'
import { callsIn } from './calls'
import { overlap } from './overlap'
import { type Call, type Reading, type TextParser, textParser } from './pieces'

export interface OutputOptions {
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
 *     start → reasoning → start → answer ⇄ call ⇄ arguments
 *                               ↘ bare  ⇄ arguments
 *
 * 1. `<think>` begins its reasoning, at the start only: later it is a word like any other.
 * 2. `<tool_call>` holds a call as JSON (Hermes, Qwen); Llama writes the bare JSON instead, which is a call where it
 *    names a tool on offer.
 * 3. A call that begins with its name, then its arguments, is told as it comes; any other is told when it is whole.
 * 4. What was meant as a call and cannot be read as one is text again: nothing that a model said is lost.
 */
export function outputParser({ thinking, tools, forced }: OutputOptions): TextParser {
  let state: 'start' | 'reasoning' | 'answer' | 'call' | 'bare' | 'arguments' | 'after' = thinking
    ? 'reasoning'
    : 'start'
  if (forced) state = 'bare'
  let isBare = forced
  let mayThink = !thinking
  /** White space around a thought or a call belongs to neither. */
  let trims = thinking
  let object = objectText()
  const reading: Reading = { held: '', out: [] }

  /** One step on; false where more text must come first. */
  function step(): boolean {
    const { held } = reading
    switch (state) {
      case 'start':
        return begin(held.trimStart())
      case 'reasoning':
        return upTo(THINK_END, 'reasoning', 'start')
      case 'answer':
        return upTo(tools.size > 0 ? CALL : '', 'content', 'call')
      case 'call':
        return beginCall() || endCall(held.indexOf(CALL_END))
      case 'bare':
        return beginCall() || keepBare()
      case 'arguments':
        return goOn()
      case 'after':
        return isBare ? afterBare(held.trimStart()) : afterCall(held.indexOf(CALL_END))
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
    isBare = next === 'bare' || (isBare && next !== 'call')
    reading.held = text
    trims = true
    return true
  }

  /** Everything before `mark` is a piece of `kind`; what may be its beginning waits. */
  function upTo(mark: string, kind: 'content' | 'reasoning', next: typeof state): boolean {
    if (trims) reading.held = reading.held.trimStart()
    const { held } = reading
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
    reading.held = held.slice(ready.length)
    return false
  }

  /** JSON that is no call of ours may look like one; only between marks, or by a grammar, it is one for sure. */
  function beginCall(): boolean {
    const head = callHead(reading.held)
    if (!head || (isBare && !forced && !tools.has(head.name))) return false
    reading.out.push({ kind: 'call', name: head.name, arguments: '' })
    object = objectText()
    return enter('arguments', head.rest)
  }

  function goOn(): boolean {
    const { text, rest } = object(reading.held)
    if (text !== '') reading.out.push({ kind: 'arguments', text })
    reading.held = ''
    return rest !== null && enter('after', rest)
  }

  function afterCall(at: number): boolean {
    return at !== -1 && enter('answer', reading.held.slice(at + CALL_END.length))
  }

  /** The brace of the call itself, then perhaps another call. */
  function afterBare(text: string): boolean {
    const another = /^\}?\s*;\s*(?=\{)/.exec(text)
    if (another) return enter('bare', text.slice(another[0].length))
    if (/^\}?\s*;?\s*$/.test(text)) return false
    return enter('answer', text.replace(/^\}/, ''))
  }

  function endCall(at: number): boolean {
    if (at === -1) return false
    const text = reading.held.slice(0, at)
    callsOr(CALL + text + CALL_END, callsIn(text))
    return enter('answer', reading.held.slice(at + CALL_END.length))
  }

  function keepBare(): boolean {
    const { held } = reading
    if (forced || held.length < SURE_CHARS || BARE_CALL.test(held)) return false
    state = 'answer'
    return true
  }

  function emit(kind: 'content' | 'reasoning', text: string) {
    if (text !== '') reading.out.push({ kind, text })
  }

  function leave() {
    const { held } = reading
    const text = trims ? held.trim() : held
    switch (state) {
      case 'reasoning':
        return emit('reasoning', held.trimEnd())
      case 'bare':
        return callsOr(text, callsIn(held, tools))
      case 'call':
        return callsOr(CALL + text, callsIn(held))
      case 'after':
        return
      default:
        return emit('content', text)
    }
  }

  function callsOr(text: string, calls: Call[] | null) {
    if (calls) reading.out.push(...calls)
    else emit('content', text)
  }

  return textParser(reading, step, leave)
}
