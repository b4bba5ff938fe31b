import type { LlamaModel, Token } from 'node-llama-cpp'

/** A character in UTF-8 spans four tokens at most; whatever stays broken longer is no text. */
const MAX_PENDING = 4
/** Some tokenizers write a space or not by what stood before. */
const RECENT = 3

/**
 * Tokens with a meaning for whoever reads the answer. In some models they are control tokens, which a detokenizer leaves
 * out, and all other control tokens are left out here too.
 */
const MARKERS = ['<tool_call>', '</tool_call>', '<think>', '</think>', '<|python_tag|>']
/** Of a model that writes in channels (gpt-oss). To others some of these are ends of a turn and nothing to read. */
const END_OF_MESSAGE = '<|end|>'
const CHANNEL_MARKERS = ['<|channel|>', '<|message|>', '<|start|>', END_OF_MESSAGE, '<|constrain|>']

export type Markers = ReadonlyMap<Token, string>

export function markersOf(model: LlamaModel): Markers {
  const found = (markers: readonly string[]): [Token, string][] =>
    markers.flatMap((marker) => {
      const tokens = model.tokenize(marker, true)
      return tokens.length === 1 ? [[tokens[0]!, marker]] : []
    })
  const channels = found(CHANNEL_MARKERS)
  const writesChannels = ['<|channel|>', '<|message|>'].every((one) => channels.some(([, of]) => of === one))
  return new Map([...found(MARKERS), ...(writesChannels ? channels : [])])
}

/** The token after which a model that writes in channels goes on with its next message; `null` for all others. */
export const endOfMessage = (markers: Markers): Token | null =>
  [...markers].find(([, marker]) => marker === END_OF_MESSAGE)?.[0] ?? null

/** Text of tokens as they come: a character that is cut waits for its other half. */
export function tokenText(model: LlamaModel, markers: Markers) {
  let pending: Token[] = []
  let recent: Token[] = []

  function settle(): string {
    const text = model.detokenize(pending, false, recent)
    recent = [...recent, ...pending].slice(-RECENT)
    pending = []
    return text
  }

  return {
    push(token: Token): string {
      const marker = markers.get(token)
      if (marker !== undefined) {
        const before = settle()
        recent = [token]
        return before + marker
      }
      pending.push(token)
      const cut = model.detokenize(pending, false, recent).endsWith('\uFFFD')
      return cut && pending.length < MAX_PENDING ? '' : settle()
    },
    end: settle,
  }
}
