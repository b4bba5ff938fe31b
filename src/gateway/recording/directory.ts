import { type Fields, fieldsOf, listOf } from './answer'

/** How client tools tell the model where they work. */
const DIRECTORY = /(?:Primary working directory|Working directory|cwd)\s*[:>]\s*([^\n<"]{1,1000})/
/** The place stands near the start; a text longer than this is something that was read. */
const MAX_SEARCHED = 20_000
const MAX_TEXTS = 12

/** The working directory that a request's body names, or null. */
export function directoryIn(body: Fields): string | null {
  for (const text of textsOf(body)) {
    const found = DIRECTORY.exec(text.slice(0, MAX_SEARCHED))?.[1]?.trim()
    if (found) return found
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
