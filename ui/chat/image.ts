import { texts as chat } from '../texts/chat'

const texts = chat.attachments

/** The longest side that models look at; more only costs time and memory. */
const LONGEST_PX = 1568
const JPEG_QUALITY = 0.86
/** Of the file itself: what a browser can be asked to decode without a fuss. */
const MOST_BYTES = 40 * 1024 * 1024

/**
 * A picture as a data URI that a model can take: no larger than it looks at, and without the place and time that
 * cameras write into their files.
 * @throws {Error} in words for a person
 */
export async function asDataUri(file: File): Promise<string> {
  if (!file.type.startsWith('image/')) throw new Error(texts.notPicture(file.name))
  if (file.size > MOST_BYTES) throw new Error(texts.tooLarge(file.name))
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new Error(texts.unreadable(file.name))
  })
  const scale = Math.min(1, LONGEST_PX / Math.max(bitmap.width, bitmap.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  canvas.getContext('2d')!.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  // Drawings and screenshots stay sharp as PNG; photographs would be huge.
  return file.type === 'image/png'
    ? canvas.toDataURL('image/png')
    : canvas.toDataURL('image/jpeg', JPEG_QUALITY)
}
