import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type Reach, reachOf } from './reach'

/** A request of a node or a tool that was not made, or not answered within its bounds. The message is for a person. */
class OutboundError extends Error {
  override name = 'OutboundError'
}

export interface OutboundRequest {
  method?: string
  headers?: Record<string, string>
  /** Held whole, so that it can be sent again to where a redirect points. */
  body?: string | Uint8Array<ArrayBuffer>
  signal?: AbortSignal
  /** For all of it: names, redirects, and the last byte of the answer. */
  timeoutMs: number
  /** Of the answer, unpacked. */
  maxBytes: number
  /** 0: a redirect is an answer like any other. */
  maxRedirects?: number
  /** An answer that is not 2xx is a failure. */
  okOnly?: boolean
}

export interface OutboundAnswer {
  status: number
  headers: Headers
  /** Where the answer came from, after redirects. */
  url: string
  /** To be read once. @throws {OutboundError} too large, too slow, or cut off */
  body: AsyncIterable<Uint8Array>
}

interface Deps {
  topology: 'local' | 'hosted'
  /** Hosts, addresses and networks of private ranges that may be called in hosted topology all the same. */
  allowed?: readonly string[]
  /** All addresses of a name; the system's resolver in the product. */
  resolve?: (name: string) => Promise<string[]>
}

export type OutboundFetch = ReturnType<typeof outboundFetch>

const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]
/** Failures from before a request was sent: another address of the same name may do better. */
const NOT_CONNECTED = [
  'ECONNREFUSED',
  'ConnectionRefused',
  'FailedToOpenSocket',
  'ENETUNREACH',
  'EHOSTUNREACH',
]

/**
 * HTTP for addresses that users, documents and models name. Each request, also one that a redirect asks for, goes only
 * where `reachOf` lets it, and to the very address that was checked: a name is looked up once, so that it cannot
 * stand for one address when it is checked and for another when it is called.
 */
export function outboundFetch({ topology, allowed = [], resolve = systemResolver }: Deps) {
  const reach = reachOf({ topology, allowed })

  return async (address: string, request: OutboundRequest): Promise<OutboundAnswer> => {
    const { timeoutMs, maxRedirects = MAX_REDIRECTS } = request
    const timeout = AbortSignal.timeout(timeoutMs)
    const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout
    const bounds = withReasons(request.signal, timeout, timeoutMs)
    let url = checkedUrl(address)
    let sent = firstOf(request)
    for (let redirects = 0; ; redirects++) {
      const addresses = await bounds(() => reachable(url, reach, resolve, signal))
      const response = await bounds(() => send(url, addresses, sent, signal))
      const target = maxRedirects === 0 ? null : redirectOf(response)
      if (target === null) return answered(response, url, request, bounds)
      void response.body?.cancel().catch(ignore)
      if (redirects === maxRedirects)
        throw new OutboundError(`${url.origin} redirects more than ${maxRedirects} times.`)
      const next = checkedUrl(target, url)
      sent = redirected(sent, response.status, next.origin === url.origin)
      url = next
    }
  }
}

/** The whole body as bytes; for answers that are small by their bound. */
export async function bytesOf({ body }: OutboundAnswer): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

interface Sent {
  method: string
  headers: Record<string, string>
  body: OutboundRequest['body']
}

const firstOf = ({ method = 'GET', headers = {}, body }: OutboundRequest): Sent => ({ method, headers, body })

const redirectOf = ({ status, headers }: Response): string | null =>
  REDIRECTS.includes(status) ? headers.get('location') : null

type Bounds = <T>(work: () => Promise<T>) => Promise<T>

function answered(
  response: Response,
  url: URL,
  { okOnly, maxBytes }: OutboundRequest,
  bounds: Bounds,
): OutboundAnswer {
  const { status, headers } = response
  if (okOnly && !response.ok) {
    void response.body?.cancel().catch(ignore)
    throw new OutboundError(`${url.origin} answered with the status ${status}.`)
  }
  return { status, headers, url: url.href, body: boundedBody(response, url, maxBytes, bounds) }
}

function checkedUrl(address: string, base?: URL): URL {
  const url = URL.parse(address, base)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new OutboundError('Only http and https addresses can be called.')
  if (url.username || url.password)
    throw new OutboundError('An address may not hold a user name or password: use a connection.')
  return url
}

/** The addresses behind a URL that may be called. */
async function reachable(
  url: URL,
  reach: Reach,
  resolve: (name: string) => Promise<string[]>,
  signal: AbortSignal,
): Promise<string[]> {
  const name = url.hostname.replace(/^\[|\]$/g, '')
  const found = isIP(name) ? [name] : await aborted(resolve(name), signal)
  const open = found.filter((address) => reach(address, name))
  if (open.length > 0) return open
  if (found.length === 0) throw new OutboundError(`The name ${name} has no address.`)
  throw new OutboundError(`${name} may not be called: it is an internal address.`)
}

async function systemResolver(name: string): Promise<string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address)
  } catch {
    // Whatever the resolver says in its own words, this is what it comes to.
    return []
  }
}

async function send(url: URL, addresses: string[], sent: Sent, signal: AbortSignal): Promise<Response> {
  for (const [at, address] of addresses.entries()) {
    try {
      return await sendTo(url, address, sent, signal)
    } catch (error) {
      const isLast = at === addresses.length - 1
      if (isLast || !NOT_CONNECTED.includes((error as { code?: string }).code ?? '')) throw error
    }
  }
  throw new OutboundError(`${url.origin} has no address.`)
}

/** Calls the address, but under the name: in `Host`, and as what the certificate must be for. */
function sendTo(url: URL, address: string, { method, headers, body }: Sent, signal: AbortSignal) {
  const name = url.hostname.replace(/^\[|\]$/g, '')
  const target = new URL(url)
  target.hostname = address.includes(':') ? `[${address}]` : address
  const own = new Headers(headers)
  own.set('host', url.host)
  return fetch(target, {
    method,
    headers: own,
    body,
    signal,
    redirect: 'manual',
    // Kept connections are found by address: one that was opened for another name must not be used for this one.
    keepalive: false,
    ...(url.protocol === 'https:' && !isIP(name) ? { tls: { serverName: name } } : {}),
  })
}

/** As browsers do it: 303, and a POST that is moved, become a GET. What another origin asks for goes without headers. */
function redirected({ method, headers, body }: Sent, status: number, isSameOrigin: boolean): Sent {
  const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST'
  const kept = Object.entries(headers).filter(([name]) => {
    const header = name.toLowerCase()
    if (becomesGet && header.startsWith('content-')) return false
    return isSameOrigin || ['accept', 'accept-language', 'user-agent', 'content-type'].includes(header)
  })
  return {
    method: becomesGet ? 'GET' : method,
    headers: Object.fromEntries(kept),
    body: becomesGet ? undefined : body,
  }
}

async function* boundedBody(response: Response, url: URL, maxBytes: number, bounds: Bounds) {
  const tooLarge = () => new OutboundError(`The answer of ${url.origin} is larger than ${maxBytes} bytes.`)
  const reader = response.body?.getReader()
  if (!reader) return
  let bytes = 0
  try {
    if (Number(response.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge()
    for (;;) {
      const { done, value } = await bounds(() => reader.read())
      if (done) return
      bytes += value.byteLength
      if (bytes > maxBytes) throw tooLarge()
      yield value
    }
  } finally {
    void reader.cancel().catch(ignore)
  }
}

/** Tells apart why something ended: the caller left, time was up, or the other side failed. */
const withReasons =
  (caller: AbortSignal | undefined, timeout: AbortSignal, timeoutMs: number): Bounds =>
  async (work) => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof OutboundError) throw error
      if (caller?.aborted) throw caller.reason
      if (timeout.aborted) throw new OutboundError(`No whole answer came within ${timeoutMs / 1000} s.`)
      throw new OutboundError(
        `The request failed: ${(error as { code?: string }).code ?? 'the connection broke'}.`,
        {
          cause: error,
        },
      )
    }
  }

function aborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

/** What is given up is not waited for. */
const ignore = () => undefined
