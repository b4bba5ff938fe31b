import { HARMONY_STARTS, harmonyParser } from './harmony'
import { outputParser, type Piece } from './output'

/** Parts of an answer's text, of whichever model: its first characters say whether it writes in channels (gpt-oss). */
export function answerParser(tools: ReadonlySet<string>) {
  let parser: Pick<ReturnType<typeof outputParser>, 'push' | 'end'> | null = null
  let held = ''

  const plain = () => outputParser({ thinking: false, tools, forced: false })

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
