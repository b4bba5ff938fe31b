/** A run's input in a chat: text, or text with one image as a data URI. */
export type ChatInput = string | { text: string; image: string }

/** A stored user message back as the input it was: sessions keep an input with an image as JSON text. */
export function inputOf(content: string): ChatInput {
  if (!content.startsWith('{')) return content
  try {
    const value = JSON.parse(content) as Record<string, unknown>
    return typeof value.text === 'string' &&
      typeof value.image === 'string' &&
      Object.keys(value).length === 2
      ? { text: value.text, image: value.image }
      : content
  } catch {
    // Text that merely begins like JSON.
    return content
  }
}

export const textOf = (input: ChatInput) => (typeof input === 'string' ? input : input.text)
export const imageOf = (input: ChatInput) => (typeof input === 'string' || !input.image ? null : input.image)
