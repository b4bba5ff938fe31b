import { tryParse } from '#kernel/json'
import type { Piece } from './output'
import { overlap } from './overlap'

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
 * A comment to nobody is for the reader, so it is content; so is a call that cannot be read as one.
 */
export function harmonyParser(tools: ReadonlySet<string>) {
  let state: 'header' | 'text' | 'call' = 'header'
  let kind: Said = 'content'
  let name = ''
  let held = ''
  let separates = false
  const begun = new Set<Said>()
  let out: Piece[] = []

  function step(): boolean {
    if (state === 'header') return readHeader(held.indexOf(MESSAGE))
    const ends = ENDS.map((mark) => held.indexOf(mark)).filter((at) => at !== -1)
    if (ends.length > 0) return endMessage(Math.min(...ends))
    if (state === 'text') {
      const keep = Math.max(...ENDS.map((mark) => overlap(held, mark)))
      emit(held.slice(0, held.length - keep))
      held = held.slice(held.length - keep)
    }
    return false
  }

  function readHeader(at: number): boolean {
    if (at === -1) return false
    const header = held.slice(0, at)
    held = held.slice(at + MESSAGE.length)
    name = RECIPIENT.exec(header)?.[1] ?? ''
    kind = CHANNEL.exec(header)?.[1] === 'analysis' ? 'reasoning' : 'content'
    state = name !== '' && tools.size > 0 ? 'call' : 'text'
    separates = begun.has(kind)
    return true
  }

  function endMessage(at: number): boolean {
    const mark = ENDS.find((one) => held.startsWith(one, at))!
    finish(held.slice(0, at))
    // The beginning of the next message belongs to its header.
    held = held.slice(HARMONY_STARTS.some((start) => start === mark) ? at : at + mark.length)
    state = 'header'
    return true
  }

  function finish(text: string) {
    if (state === 'text') return emit(text)
    const args = text.trim() || '{}'
    if (tryParse(args) === undefined) return emit(text)
    out.push({ kind: 'call', name, arguments: args })
  }

  /** Two messages of one kind are two paragraphs. */
  function emit(text: string) {
    if (text === '') return
    out.push({ kind, text: separates ? `\n\n${text}` : text })
    separates = false
    begun.add(kind)
  }

  /** A header that never became a message is no text; anything else that stands there is. */
  function leave() {
    if (state !== 'header') return finish(held)
    kind = 'content'
    separates = begun.has(kind)
    if (!HARMONY_STARTS.some((start) => held.trimStart().startsWith(start))) emit(held.trim())
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
