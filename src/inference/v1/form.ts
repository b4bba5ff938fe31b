import { AppError } from '#kernel/errors'

/** Far more fields than a transcription has. */
const MAX_PARTS = 100
const MAX_HEADER_BYTES = 16 * 1024
const NAME = /;\s*name=(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i
const FILE_NAME = /;\s*filename\*?=/i
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i

/**
 * A multipart form whose parts stay the bytes they came in. The runtime's own parser forgets the type that a client
 * gave a file; what we do not change must reach the provider as it was sent.
 */
export interface Form {
  boundary: string
  parts: Part[]
}

export interface Part {
  name: string
  isFile: boolean
  /** With its headers, without its boundary. */
  bytes: Buffer
  content: Buffer
}

/** @throws {AppError} `invalid_request` */
export function readForm(body: Uint8Array, contentType: string): Form {
  const match = BOUNDARY.exec(contentType)
  const boundary = match?.[1] ?? match?.[2]
  if (!boundary) throw invalid('its content type names no boundary')
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const parts: Part[] = []
  let at = bytes.indexOf(delimiter.subarray(2))
  while (at !== -1) {
    const start = at + (parts.length === 0 ? delimiter.byteLength - 2 : delimiter.byteLength)
    if (bytes.toString('latin1', start, start + 2) === '--') return { boundary, parts }
    const lineEnd = bytes.indexOf('\r\n', start)
    at = bytes.indexOf(delimiter, lineEnd)
    if (lineEnd === -1 || at === -1) break
    parts.push(readPart(bytes.subarray(lineEnd + 2, at)))
    if (parts.length > MAX_PARTS) throw invalid(`it has more than ${MAX_PARTS} fields`)
  }
  throw invalid('it is cut before its end')
}

export function writeForm({ boundary, parts }: Form): Uint8Array<ArrayBuffer> {
  const pieces = parts.flatMap(({ bytes }) => [Buffer.from(`--${boundary}\r\n`), bytes, Buffer.from('\r\n')])
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)])
}

/** The content type that tells where the parts end. */
export const formType = ({ boundary }: Form): string =>
  `multipart/form-data; boundary=${/^[\w.-]+$/.test(boundary) ? boundary : `"${boundary}"`}`

export function textPart(name: string, text: string): Part {
  const content = Buffer.from(text)
  const head = Buffer.from(`Content-Disposition: form-data; name="${name}"\r\n\r\n`)
  return { name, isFile: false, bytes: Buffer.concat([head, content]), content }
}

function readPart(bytes: Buffer): Part {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1 || end > MAX_HEADER_BYTES)
    throw invalid('one of its fields has no headers, or too long ones')
  const disposition = /^content-disposition:(.*)$/im.exec(bytes.toString('utf8', 0, end))?.[1] ?? ''
  const match = NAME.exec(disposition)
  const name = match?.[1] ?? match?.[2]
  if (name === undefined) throw invalid('one of its fields has no name')
  return { name, isFile: FILE_NAME.test(disposition), bytes, content: bytes.subarray(end + 4) }
}

const invalid = (why: string) => new AppError('invalid_request', `The form cannot be read: ${why}.`)
