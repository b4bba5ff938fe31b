const UNKNOWN = 'application/octet-stream'
const MAX_CHARS = 200
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;[\x20-\x7e]*)?$/

/** The media type as it was sent, with its parameters; what is none is bytes. */
export function contentTypeOf(header: string | null): string {
  const type = header?.trim() ?? ''
  return type.length <= MAX_CHARS && MEDIA_TYPE.test(type) ? type : UNKNOWN
}
