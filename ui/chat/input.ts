import { artifactIn } from '../trace/media'

/** A file that is with the server already. */
export interface FileInput {
  ref: string
  contentType: string
}

/** A run's input in a chat: text, a picture as a data URI, text with one image as a data URI, or a file. */
export type ChatInput = string | { text: string; image: string } | FileInput

/** A stored user message back as the input it was: sessions keep inputs that are not text as JSON text. */
export function inputOf(content: string): ChatInput {
  if (!content.startsWith('{')) return content
  try {
    const value = JSON.parse(content) as Record<string, unknown>
    const file = artifactIn(value)
    if (file && Object.keys(value).length === 2) return file
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

export const textOf = (input: ChatInput) =>
  typeof input === 'string' ? (isPicture(input) ? '' : input) : 'text' in input ? input.text : ''
export function imageOf(input: ChatInput): string | null {
  if (typeof input === 'string') return isPicture(input) ? input : null
  return ('image' in input && input.image) || null
}
export const fileOf = (input: ChatInput): FileInput | null =>
  typeof input === 'string' || !('ref' in input) ? null : input

const isPicture = (text: string) => /^data:image\/(png|jpeg|gif|webp);base64,/.test(text)

/** The same input with other words; what was attached stays. */
export const withText = (input: ChatInput, text: string): ChatInput =>
  typeof input === 'object' && 'image' in input ? { ...input, text } : text
