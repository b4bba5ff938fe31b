import { texts } from '../texts/chat'
import { asDataUri } from './image'
import type { ChatInput, FileInput } from './input'
import { upload } from './tasks'
import { asWav } from './wav'

/** What goes along with a message: a picture inline, or a file that is with the server already. */
export type Attachment = { kind: 'image'; dataUri: string } | { kind: 'file'; file: FileInput; name: string }

/** What whoever answers takes beside text. */
export interface Takes {
  /** Its input is a file of such a kind, instead of words. */
  file: 'audio' | 'video' | 'file' | null
  /** Its input is a picture, with or without words. */
  image: boolean
  /** A picture without words goes as it is, for the graph takes nothing else. */
  bare?: boolean
}

export const ANYTHING_SAID: Takes = { file: null, image: true }

/** What the file picker offers. */
export const accepted = ({ file, image }: Takes): string | undefined => {
  if (file === 'file') return undefined
  return [file && `${file}/*`, image && 'image/*', file === null && 'audio/*'].filter(Boolean).join(',')
}

/** Takes a file in; sound is brought into the one form that every engine reads. @throws {Error} in words for a person */
export async function attach(file: File, { file: kind }: Takes): Promise<Attachment> {
  if (kind === null) return { kind: 'image', dataUri: await asDataUri(file) }
  if (kind !== 'file' && !file.type.startsWith(`${kind}/`)) {
    throw new Error(texts.attachments.notOfKind[kind](file.name))
  }
  return { kind: 'file', file: await upload(file), name: file.name }
}

/** @throws {Error} in words for a person */
export async function soundOf(sound: Blob): Promise<File> {
  try {
    return await asWav(sound)
  } catch {
    throw new Error(texts.voice.unreadable)
  }
}

/** The message as a run takes it; null while there is nothing to send. */
export function messageOf(
  text: string,
  attached: Attachment | null,
  { file, bare }: Takes,
): ChatInput | null {
  if (attached?.kind === 'file') return attached.file
  if (file !== null) return null
  if (attached && bare && text.trim() === '') return attached.dataUri
  if (attached) return { text: text.trim(), image: attached.dataUri }
  return text.trim() === '' ? null : text.trim()
}
