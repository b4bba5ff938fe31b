import { isObject } from '../../src/graph/read'

/** Something to be seen or heard: a file of this install by its ref, or the bytes themselves as a data URI. */
export interface Media {
  kind: 'image' | 'audio' | 'video' | 'file'
  /** Where it stands in the value: `image`, `photos.0`; empty where it is the value itself. */
  name: string
  source: { ref: string; contentType: string } | { url: string }
}

/** A picture that could run scripts is none. */
const DATA_URI = /^data:(image\/(?:png|jpeg|gif|webp)|audio\/[\w.+-]+|video\/[\w.+-]+)(?:;[\w=.+-]+)*;base64,/
const MOST = 12
const DEEPEST = 3

/** The media in a value, as they stand in it. */
export function mediaIn(value: unknown): Media[] {
  const found: Media[] = []
  const look = (one: unknown, name: string, depth: number) => {
    if (found.length >= MOST) return
    const media = asMedia(one)
    if (media) found.push({ ...media, name })
    else if (depth < DEEPEST && typeof one === 'object' && one !== null) {
      for (const [key, inner] of Object.entries(one))
        look(inner, name === '' ? key : `${name}.${key}`, depth + 1)
    }
  }
  look(value, '', 0)
  return found
}

function asMedia(value: unknown): Omit<Media, 'name'> | null {
  if (typeof value === 'string') {
    const type = DATA_URI.exec(value)?.[1]
    return type ? { kind: kindOf(type), source: { url: value } } : null
  }
  const file = artifactIn(value)
  return file ? { kind: kindOf(file.contentType), source: file } : null
}

/** `{ref, contentType}`, which is how runs pass files on. */
export const artifactIn = (value: unknown): { ref: string; contentType: string } | null =>
  isObject(value) &&
  typeof value.ref === 'string' &&
  /^art_\w+$/.test(value.ref) &&
  typeof value.contentType === 'string'
    ? { ref: value.ref, contentType: value.contentType }
    : null

function kindOf(contentType: string): Media['kind'] {
  if (contentType === 'image/svg+xml') return 'file'
  const kind = /^(image|audio|video)\//.exec(contentType)?.[1]
  return (kind as Media['kind'] | undefined) ?? 'file'
}
