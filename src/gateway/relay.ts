import { isIP } from 'node:net'
import type { Caller } from './admission'
import { incomingHeaders } from './headers'
import type { Refusal } from './refusal'
import type { Provider, Target } from './target'

/** Silence after which it is asked whether the provider can be reached at all. */
const PROBE_AFTER_MS = 5_000
const CONNECT_MS = 10_000
/** Of an answer that is taken in one go. */
const SHORT_BYTES = 64 * 1024
/** Nobody reads it; what proxies call a client that left. */
const CLIENT_GONE = 499

export interface RelayTimes {
  probeAfterMs: number
  connectMs: number
  /** Until the first byte of the answer's head. */
  headersMs: number
}

export const relayTimes = (timeoutS: number): RelayTimes => ({
  probeAfterMs: PROBE_AFTER_MS,
  connectMs: CONNECT_MS,
  headersMs: timeoutS * 1_000,
})

/** Looks on while an answer passes: the same bytes, after they were handed on. */
export interface Observer {
  /** The head arrived; the answer's body follows. */
  head(response: Response): void
  chunk(bytes: Uint8Array): void
  /** How it ended; asked once. */
  end(how: 'complete' | 'client_abort' | 'upstream_error'): void
}

export interface Forwarded {
  request: Request
  target: Target
  headers: Headers
  body: Uint8Array<ArrayBuffer> | null
  caller: Caller
}

interface Deps {
  upstreams: Record<Provider, string>
  times: RelayTimes
  /** The environment names a proxy: then the provider itself cannot be probed. */
  proxied: boolean
}

/**
 * Sends a request on and hands the answer back, byte for byte. Redirects are the client's to follow, compressed bytes
 * stay compressed. No cap between bytes while the client stays; when it leaves, the provider's stream is dropped.
 */
export function relay({ upstreams, times, proxied }: Deps) {
  return async (
    { request, target, headers, body }: Forwarded,
    observer: Observer | null,
  ): Promise<Response | Refusal> => {
    const upstream = upstreams[target.provider]
    const gone = new AbortController()
    const leave = () => gone.abort()
    request.signal.addEventListener('abort', leave, { once: true })
    const watch = watchHeaders(upstream, times, proxied, gone)
    let response: Response
    try {
      response = await fetch(upstream + target.rest, {
        method: request.method,
        headers,
        body,
        redirect: 'manual',
        decompress: false,
        signal: gone.signal,
      })
    } catch (error) {
      if (request.signal.aborted) {
        observer?.end('client_abort')
        return new Response(null, { status: CLIENT_GONE })
      }
      return watch.refusal ?? unreachable(upstream, error)
    } finally {
      watch.stop()
    }
    observer?.head(response)
    const { status, statusText } = response
    const head = { status, statusText, headers: incomingHeaders(response) }
    if (!observer) return new Response(response.body, head)
    if (!response.body) {
      observer.end('complete')
      return new Response(null, head)
    }
    if (isShort(response)) return whole(response, head, observer, request.signal)
    return new Response(observed(response.body, observer), head)
  }
}

/** An answer that says how long it is, and is not: there is nothing to wait for between its bytes. */
function isShort({ headers }: Response): boolean {
  const length = headers.get('content-length')
  return length !== null && Number(length) <= SHORT_BYTES
}

/** A short answer in one go, which costs the runtime a fraction of a stream. */
async function whole(
  response: Response,
  head: ResponseInit,
  observer: Observer,
  client: AbortSignal,
): Promise<Response> {
  let bytes: Uint8Array<ArrayBuffer>
  try {
    bytes = await response.bytes()
  } catch {
    observer.end(client.aborted ? 'client_abort' : 'upstream_error')
    // The head goes out and the connection is cut, as it would have been without us.
    return new Response(new ReadableStream({ start: (out) => out.error(brokenOff()) }), head)
  }
  // Looked at once it is on its way.
  setImmediate(() => {
    observer.chunk(bytes)
    observer.end('complete')
  })
  return new Response(bytes, head)
}

/**
 * One reader that hands each chunk on first and then shows the same bytes to the observer. A tee would buffer without
 * bound for a client that pauses.
 */
function observed(body: ReadableStream<Uint8Array>, observer: Observer): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(out) {
        let part: Awaited<ReturnType<typeof reader.read>>
        try {
          part = await reader.read()
        } catch {
          // The client sees the connection cut, as it would have without us.
          out.error(brokenOff())
          observer.end('upstream_error')
          return
        }
        if (part.done) {
          out.close()
          observer.end('complete')
        } else {
          out.enqueue(part.value)
          observer.chunk(part.value)
        }
      },
      cancel(reason) {
        observer.end('client_abort')
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Ends a request whose answer does not begin: the provider cannot be reached, or does not answer in time. */
function watchHeaders(upstream: string, times: RelayTimes, proxied: boolean, gone: AbortController) {
  const watch: { refusal: Refusal | null; stop(): void } = { refusal: null, stop }
  let probe: Probe | null = null
  const end = (refusal: Refusal) => {
    watch.refusal = refusal
    gone.abort()
  }
  const late = () => {
    const seconds = times.headersMs / 1_000
    end({
      code: 'upstream_timeout',
      message: `The provider did not answer within ${seconds} s. Try again.`,
    })
  }
  const silent = () => {
    timer = setTimeout(late, times.headersMs - times.probeAfterMs)
    probe = connects(upstream, times.connectMs - times.probeAfterMs, (reached) => {
      if (!reached) end(unreachable(upstream, { code: 'no connection' }))
    })
  }
  // One timer at a time: nearly every request ends before the first.
  const probes = !proxied && times.probeAfterMs < times.headersMs
  let timer = probes ? setTimeout(silent, times.probeAfterMs) : setTimeout(late, times.headersMs)

  function stop() {
    clearTimeout(timer)
    probe?.stop()
  }
  return watch
}

/** The runtime prints what a stream fails with; its own error would quote the address, query and all. */
const brokenOff = () => new Error('the provider broke off its answer')

interface Probe {
  stop(): void
}

/** Whether a connection can be made; the runtime's HTTP client does not tell how far it got with its own. */
function connects(upstream: string, withinMs: number, tell: (reached: boolean) => void): Probe {
  const { hostname, port, protocol } = new URL(upstream)
  const host = hostname.replace(/^\[|\]$/g, '')
  let open = true
  const answer = (reached: boolean) => {
    if (!open) return
    open = false
    clearTimeout(timer)
    tell(reached)
  }
  const timer = setTimeout(() => answer(false), withinMs)
  const socket = { data() {}, open: (opened: { end(): void }) => opened.end() }
  Bun.connect({
    hostname: isIP(host) === 6 ? host : hostname,
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
    socket,
  }).then(
    () => answer(true),
    () => answer(false),
  )
  return {
    stop() {
      open = false
      clearTimeout(timer)
    },
  }
}

/** Says who was to be reached, without the path, the query or what the runtime quotes of either. */
function unreachable(upstream: string, error: unknown): Refusal {
  const { code } = error as { code?: unknown }
  const reason = typeof code === 'string' ? code : 'the connection failed'
  return {
    code: 'upstream_unreachable',
    message: `The gateway cannot reach ${new URL(upstream).host} (${reason}). Check the gateway's network, then try again.`,
  }
}

export const isRefusal = (value: object): value is Refusal => 'code' in value && 'message' in value
