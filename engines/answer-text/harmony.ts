import { tryParse } from '#kernel/json'
import { objectText } from './arguments'
import { overlap } from './overlap'
import { type Reading, type TextParser, textParser } from './pieces'

export const HARMONY_STARTS = ['<|channel|>', '<|start|>'] as const

type Said = 'content' | 'reasoning'

const MESSAGE = '<|message|>'
/** A model that leaves an end out begins the next message. */
const ENDS = ['<|end|>', '<|return|>', '<|call|>', '<|start|>', '<|channel|>']
const RECIPIENT = /\bto=(?:functions\.)?([^\s<]+)/
const CHANNEL = /<\|channel\|>\s*(\w+)/

/**
 * What gpt-oss writes, as it comes. Its answer is a row of messages, each with a channel:
 *
 *     <|channel|>analysis<|message|>…<|end|>                                 reasoning
 *     <|start|>assistant<|channel|>commentary to=functions.x<|message|>{}    a call, where tools are on offer
 *     <|start|>assistant<|channel|>final<|message|>…                         the answer
 *
 * A comment to nobody is for the reader, so it is content; so is a call that cannot be read as one. Arguments that are an
 * object are told as they come, any others when they are whole.
 */
export function harmonyParser(tools: ReadonlySet<string>): TextParser {
  let state: 'header' | 'text' | 'call' | 'arguments' = 'header'
  let kind: Said = 'content'
  let name = ''
  let separates = false
  let object = objectText()
  const begun = new Set<Said>()
  const reading: Reading = { held: '', out: [] }

  function step(): boolean {
    if (state === 'header') return readHeader(reading.held.indexOf(MESSAGE))
    const ends = ENDS.map((mark) => reading.held.indexOf(mark)).filter((at) => at !== -1)
    if (state === 'call' && reading.held.trimStart().startsWith('{')) return beginArguments()
    if (ends.length > 0) return endMessage(Math.min(...ends))
    if (state === 'call') return false
    const keep = Math.max(...ENDS.map((mark) => overlap(reading.held, mark)))
    finish(reading.held.slice(0, reading.held.length - keep))
    reading.held = reading.held.slice(reading.held.length - keep)
    return false
  }

  function beginArguments(): true {
    reading.out.push({ kind: 'call', name, arguments: '' })
    object = objectText()
    reading.held = reading.held.trimStart()
    state = 'arguments'
    return true
  }

  function readHeader(at: number): boolean {
    if (at === -1) return false
    const header = reading.held.slice(0, at)
    reading.held = reading.held.slice(at + MESSAGE.length)
    name = RECIPIENT.exec(header)?.[1] ?? ''
    kind = CHANNEL.exec(header)?.[1] === 'analysis' ? 'reasoning' : 'content'
    state = name !== '' && tools.size > 0 ? 'call' : 'text'
    separates = begun.has(kind)
    return true
  }

  function endMessage(at: number): boolean {
    const mark = ENDS.find((one) => reading.held.startsWith(one, at))!
    finish(reading.held.slice(0, at))
    // The beginning of the next message belongs to its header.
    reading.held = reading.held.slice(HARMONY_STARTS.some((start) => start === mark) ? at : at + mark.length)
    state = 'header'
    return true
  }

  function finish(text: string) {
    if (state === 'text') return emit(text)
    if (state === 'arguments') return goOn(text)
    const args = text.trim() || '{}'
    if (tryParse(args) === undefined) return emit(text)
    reading.out.push({ kind: 'call', name, arguments: args })
  }

  function goOn(text: string) {
    const { text: more } = object(text)
    if (more !== '') reading.out.push({ kind: 'arguments', text: more })
  }

  /** Two messages of one kind are two paragraphs. */
  function emit(text: string) {
    if (text === '') return
    reading.out.push({ kind, text: separates ? `\n\n${text}` : text })
    separates = false
    begun.add(kind)
  }

  /** A header that never became a message is no text; anything else that stands there is. */
  function leave() {
    if (state !== 'header') return finish(reading.held)
    kind = 'content'
    separates = begun.has(kind)
    if (!HARMONY_STARTS.some((start) => reading.held.trimStart().startsWith(start))) emit(reading.held.trim())
  }

  return textParser(reading, step, leave)
}
