import { AppError } from '../errors'

/**
 * The whole body, or 413: the length that the client states is checked first, and then what really comes, so that
 * neither a large upload nor a lying one is ever held.
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const stated = request.headers.get('content-length')
  if (Number(stated) > maxBytes) throw tooLarge(maxBytes)
  // A body of a stated length has no more than that: it is read at once, which costs a fraction of reading it in parts.
  if (stated !== null && !request.headers.has('transfer-encoding')) return await request.bytes()
  if (!request.body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of request.body) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

/** The body as JSON; an empty one is `undefined`. @throws {AppError} `invalid_json`, `payload_too_large` */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes)
  if (bytes.byteLength === 0) return undefined
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw new AppError('invalid_json', `The body is not JSON: ${(error as Error).message}.`)
  }
}

const tooLarge = (maxBytes: number) =>
  new AppError('payload_too_large', `The body is larger than ${Math.floor(maxBytes / 1024)} KiB.`)
