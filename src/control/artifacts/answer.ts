import { AppError } from '#kernel/errors'
import type { StoredArtifact } from './service'

/**
 * Types that a browser may show in place: they cannot run script. All others, HTML and SVG above all, are saved as a
 * file, so that nobody's upload becomes a page of ours.
 */
const SHOWN = /^(image\/(?!svg)|audio\/|video\/|text\/plain\b|application\/json\b)/i

/** The bytes, or the one part of them that `Range` names. @throws {AppError} `range_not_satisfiable` */
export function blobAnswer({ ref, contentType, bytes, file }: StoredArtifact, request: Request): Response {
  const headers = {
    'content-type': contentType,
    'content-disposition': `${SHOWN.test(contentType) ? 'inline' : 'attachment'}; filename="${ref}"`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'accept-ranges': 'bytes',
    // A ref never changes what it stands for.
    'cache-control': 'private, max-age=31536000, immutable',
  }
  const range = readRange(request.headers.get('range'), bytes)
  if (!range) return new Response(file, { headers })
  const { start, end } = range
  return new Response(file.slice(start, end + 1), {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${start}-${end}/${bytes}` },
  })
}

/** First and last byte of a single range; null where the header is none that we know, which asks for everything. */
function readRange(header: string | null, bytes: number): { start: number; end: number } | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '')
  const [, from = '', to = ''] = match ?? []
  if (from === '' && to === '') return null
  const start = from === '' ? Math.max(0, bytes - Number(to)) : Number(from)
  const end = from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1)
  if (from !== '' && to !== '' && Number(to) < start) return null
  if (start >= bytes) {
    throw new AppError('range_not_satisfiable', `The artifact has ${bytes} bytes.`, {
      headers: { 'content-range': `bytes */${bytes}` },
    })
  }
  return { start, end }
}
