import { type Fields, fieldsOf, listOf } from './answer'

/** How client tools tell the model where they work; the words are looked for first, which is many times faster. */
const WORDS = ['Primary working directory', 'Working directory', 'cwd']
const BEHIND_THEM = /\s*[:>]\s*([^\n<"]{1,1000})/y
/** The prompt of Claude Code has 26,000 characters before it says so; a text longer than this is something that was read. */
const MAX_SEARCHED = 100_000
const MAX_TEXTS = 12

/** The working directory that a request's body names, or null. */
export function directoryIn(body: Fields): string | null {
  for (const text of textsOf(body)) {
    const found = placeIn(text.slice(0, MAX_SEARCHED))
    if (found) return found
  }
  return null
}

function placeIn(text: string): string | null {
  for (const word of WORDS) {
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
      BEHIND_THEM.lastIndex = at + word.length
      const found = BEHIND_THEM.exec(text)?.[1]?.trim()
      if (found) return found
    }
  }
  return null
}

/** The first texts of the system prompt and of the messages, of either protocol. */
function textsOf({ system, messages, input, instructions }: Fields): string[] {
  const parts = [system, instructions, ...listOf(messages).slice(0, 6), ...listOf(input).slice(0, 6)]
  return parts.flatMap(textIn).slice(0, MAX_TEXTS)
}

function textIn(part: unknown): string[] {
  if (typeof part === 'string') return [part]
  if (Array.isArray(part)) return part.slice(0, MAX_TEXTS).flatMap(textIn)
  const { text, content } = fieldsOf(part)
  return typeof text === 'string' ? [text] : content === undefined ? [] : textIn(content)
}
