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

export type Markers = ReadonlyMap<Token, string>

export function markersOf(model: LlamaModel): Markers {
  const markers = new Map<Token, string>()
  for (const marker of MARKERS) {
    const tokens = model.tokenize(marker, true)
    if (tokens.length === 1) markers.set(tokens[0]!, marker)
  }
  return markers
}

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
