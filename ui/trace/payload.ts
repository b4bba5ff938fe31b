import { texts as trace } from '../texts/trace'
import { bytes } from './format'
import { type Media, mediaIn } from './media'

const texts = trace.payload

/** A recorded value as it is shown: text as it is, media as media, everything else as JSON. */
export interface Shown {
  text: string | null
  isJson: boolean
  /** Where it is JSON, the value of it. */
  json: unknown
  /** A picture that is all of it, or that goes with its text. */
  image: string | null
  /** What else in it can be seen or heard. */
  media: Media[]
  /** Why this is not all of it. */
  cut: string | null
  /** The value itself, to be copied. */
  source: string
}

/** What stands for a value over the capture limit (interface, 4). */
interface Truncated {
  _truncated: true
  _bytes: number
  _preview: string
}

const isTruncated = (value: unknown): value is Truncated =>
  typeof value === 'object' && value !== null && '_truncated' in value && value._truncated === true

export function shown(value: unknown): Shown {
  const plain = { isJson: false, json: undefined, image: null, media: [], cut: null }
  if (isTruncated(value)) {
    return { ...plain, text: value._preview, cut: texts.cut(value._bytes), source: value._preview }
  }
  if (typeof value === 'string') {
    const image = pictureIn(value)
    if (image) return { ...plain, text: null, image, source: value }
    const parsed = parsedJson(value)
    if (parsed !== undefined) return { ...shown(parsed), source: value }
    const media = mediaIn(value)
    return { ...plain, text: media.length > 0 ? null : value, media, source: value }
  }
  const source = JSON.stringify(value, null, 2) ?? 'null'
  if (isTextAndImage(value))
    return { ...plain, text: value.text || null, image: pictureIn(value.image), source }
  const media = mediaIn(value)
  const isFile = media.length === 1 && media[0]!.name === ''
  const text = isFile ? null : JSON.stringify(value, shortened, 2)
  return { ...plain, text: text ?? (isFile ? null : source), isJson: true, json: value, media, source }
}

/** Only objects and lists: a number or a quoted word reads better as text. */
function parsedJson(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    // Text that merely begins like JSON.
    return undefined
  }
}

/** Nobody reads the bytes of a picture; they are shown as what they are. */
const shortened = (_: string, value: unknown) =>
  typeof value === 'string' && /^data:[\w./+-]+;base64,/.test(value) && value.length > 100
    ? `${value.slice(0, value.indexOf(',') + 1)}… (${bytes(value.length)})`
    : value

/** What a run takes as one message of text and picture. */
const isTextAndImage = (value: unknown): value is { text: string; image: string } =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).sort().join() === 'image,text' &&
  'text' in value &&
  typeof value.text === 'string' &&
  'image' in value &&
  typeof value.image === 'string' &&
  pictureIn(value.image) !== null

const pictureIn = (text: string) => (/^data:image\/(png|jpeg|gif|webp);base64,/.test(text) ? text : null)

/** Above this a value starts folded. */
const LONG_CHARACTERS = 1500
const LONG_LINES = 24

export const isLong = (text: string) =>
  text.length > LONG_CHARACTERS || text.split('\n', LONG_LINES + 1).length > LONG_LINES

/** The part of a long value that shows before one asks for the rest. */
export const beginning = (text: string) => text.split('\n', LONG_LINES).join('\n').slice(0, LONG_CHARACTERS)

interface Gated {
  capture_level: string
  inputs: unknown
  outputs: unknown
  reason: string | null
}

/** Why a node's payloads are not there, in a sentence; null when they are. */
export function gateOf({ capture_level, inputs, outputs, reason }: Gated): string | null {
  if (inputs !== null || outputs !== null) return null
  if (capture_level === 'metadata') return texts.metadataOnly
  if (capture_level === 'off') return texts.captureOff
  return reason ?? texts.notRecorded
}
