import { HARMONY_STARTS, harmonyParser } from './harmony'
import { type OutputOptions, outputParser } from './output'
import type { Piece, TextParser } from './pieces'

/** Parts of an answer's text, of whichever model: its first characters say whether it writes in channels (gpt-oss). */
export function answerParser({ thinking = false, tools, forced = false }: Options): TextParser {
  const plain = () => outputParser({ thinking, tools, forced })
  // What a prompt or a grammar began is no message of a channel.
  if (thinking || forced) return plain()
  let parser: TextParser | null = null
  let held = ''

  function choose(): typeof parser {
    const text = held.trimStart()
    if (HARMONY_STARTS.some((start) => text.startsWith(start))) return harmonyParser(tools)
    return HARMONY_STARTS.some((start) => start.startsWith(text)) ? null : plain()
  }

  return {
    push(text: string): Piece[] {
      if (parser) return parser.push(text)
      held += text
      parser = choose()
      return parser?.push(held) ?? []
    },

    end(): Piece[] {
      if (parser) return parser.end()
      parser = plain()
      return [...parser.push(held), ...parser.end()]
    },
  }
}

type Options = Pick<OutputOptions, 'tools'> & Partial<OutputOptions>
