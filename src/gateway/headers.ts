/** Headers that speak of one connection, not of the request or the answer (RFC 9110, 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]
export const ERROR_HEADER = 'x-service-gateway-error'

/** What goes to the provider: everything the client sent, but for what is between it and us. */
export function outgoingHeaders(request: Request): Headers {
  const headers = withoutHops(request.headers)
  headers.delete('host')
  headers.delete('content-length')
  for (const name of [...headers.keys()]) if (name.startsWith('x-service-')) headers.delete(name)
  // Left alone, the runtime would ask for compressed answers that this client may not read.
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity')
  return headers
}

/** What goes to the client: everything the provider sent; that a refusal is ours, only we may say. */
export function incomingHeaders(response: Response): Headers {
  const headers = withoutHops(response.headers)
  headers.delete(ERROR_HEADER)
  return headers
}

function withoutHops(from: Headers): Headers {
  const headers = new Headers(from)
  const named = headers.get('connection')
  for (const name of HOP_BY_HOP) headers.delete(name)
  for (const name of named?.split(',') ?? []) if (/^\s*[\w-]+\s*$/.test(name)) headers.delete(name.trim())
  return headers
}
