/** Headers that speak of one connection, not of the request or the answer (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
export const ERROR_HEADER = 'x-service-gateway-error'

/** What goes to the provider: everything the client sent, but for what is between it and us. */
export function outgoingHeaders(request: Request): Headers {
  const headers = without(request.headers, isOurs)
  // Left alone, the runtime would ask for compressed answers that this client may not read.
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity')
  return headers
}

/** What goes to the client: everything the provider sent; that a refusal is ours, only we may say. */
export function incomingHeaders(response: Response): Headers {
  return without(response.headers, (name) => name === ERROR_HEADER)
}

/** What the runtime says itself of its own request, and what a client tells the gateway alone. */
const isOurs = (name: string): boolean =>
  name === 'host' || name === 'content-length' || name.startsWith('x-service-')

function without(from: Headers, also: (name: string) => boolean): Headers {
  const headers = new Headers(from)
  const named = from.get('connection')
  // One walk over the names that are there; asking for each that might be costs more.
  for (const name of from.keys()) if (HOP_BY_HOP.has(name) || also(name)) headers.delete(name)
  if (named !== null && !/^\s*(keep-alive|close)\s*$/i.test(named)) {
    for (const name of named.split(',')) if (/^\s*[\w-]+\s*$/.test(name)) headers.delete(name.trim())
  }
  return headers
}
