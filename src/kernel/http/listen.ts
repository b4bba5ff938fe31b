import { AppError, StartError } from '../errors'
import type { Logger } from '../log'
import { contextOf, setContext } from './context'
import type { originGuard } from './guard'
import { routerPath } from './paths'
import type { Envelope } from './plane'

type Handle = (request: Request) => Response | Promise<Response>

interface Options {
  /** As the log and the messages name it: `control plane`. */
  name: string
  host: string
  port: number
  /** The environment variable that moves it. */
  variable: string
  log: Logger
}

/** Who is at the other end of a request that is answered directly. */
export interface Peer {
  address: string
  /** A stop was asked for: what is open may end, nothing new is begun. */
  stopping: boolean
}
type Direct = (request: Request, peer: Peer) => Response | Promise<Response>

interface Service {
  handle: Handle
  guard: ReturnType<typeof originGuard>
  envelope: Envelope
}

export type Listener = ReturnType<typeof listen>

/**
 * Takes a port at once and answers `/healthz`; everything else is 503 until `serve` names the plane behind it. So
 * all ports are known to be ours before anything is opened or written.
 * @throws {StartError} when the port is taken
 */
export function listen({ name, host, port, variable, log }: Options) {
  let service: Service | null = null
  let direct: Direct | null = null
  let stopping = false

  const server = bind(name, host, port, variable, async (request, address) => {
    if (direct) return direct(request, { address, stopping })
    const startedAt = performance.now()
    const url = new URL(request.url)
    const routed = routedRequest(request, url)
    const context = { id: requestId(request), address }
    setContext(routed, context)
    const response = await answer(routed, url)
    response.headers.set('x-request-id', context.id)
    const ms = Math.round((performance.now() - startedAt) * 10) / 10
    // The answer leaves first; the line that tells of it can wait.
    setImmediate(() =>
      log.info(
        {
          id: context.id,
          plane: name,
          method: request.method,
          route: contextOf(routed).route ?? url.pathname,
          status: response.status,
          ms,
          run: request.headers.get('x-service-run-id') ?? undefined,
        },
        'request',
      ),
    )
    return response
  })

  async function answer(request: Request, url: URL): Promise<Response> {
    if (!service) {
      if (url.pathname === '/healthz') return Response.json({ status: 'ok' })
      return Response.json({ error: { message: 'Tycho is starting.', code: 'starting' } }, { status: 503 })
    }
    const { guard, handle, envelope } = service
    const refuse = (error: AppError) =>
      Response.json(envelope(error), { status: error.status, headers: error.headers })
    try {
      guard.check(request)
    } catch (error) {
      return refuse(error as AppError)
    }
    const preflight = guard.preflight(request)
    if (preflight) return preflight
    if (stopping && url.pathname !== '/healthz') {
      return refuse(new AppError('shutting_down', 'Tycho is stopping.', { headers: { connection: 'close' } }))
    }
    const response = await attempt(() => handle(request), request, refuse)
    for (const [header, value] of Object.entries(guard.corsHeaders(request)))
      response.headers.set(header, value)
    return response
  }

  /** A plane answers its own failures; what still gets here is a bug of the plane itself. */
  async function attempt(
    work: () => Response | Promise<Response>,
    request: Request,
    refuse: (error: AppError) => Response,
  ) {
    try {
      return await work()
    } catch (error) {
      const { id } = contextOf(request)
      log.error({ err: error, id, plane: name }, 'unexpected failure')
      return refuse(new AppError('internal_error', `Something went wrong here. The log has it under ${id}.`))
    }
  }

  return {
    name,
    host,
    port: server.port!,
    url: `http://${host.includes(':') ? `[${host}]` : host === '0.0.0.0' ? '127.0.0.1' : host}:${server.port}`,

    serve(next: Service) {
      service = next
    },

    /** The plane answers everything itself: no guard, no header and no log line of ours touches what it relays. */
    serveDirectly(next: Direct) {
      direct = next
    },

    /** Refuses new work, lets what is open end within `drainMs`, then cuts it. */
    async stop(drainMs: number) {
      stopping = true
      const drained = server.stop()
      const timeout = Promise.withResolvers<void>()
      const timer = setTimeout(timeout.resolve, drainMs)
      await Promise.race([drained, timeout.promise])
      clearTimeout(timer)
      await server.stop(true)
    },
  }
}

function bind(
  name: string,
  host: string,
  port: number,
  variable: string,
  handle: (request: Request, address: string) => Promise<Response>,
) {
  try {
    return Bun.serve({
      hostname: host,
      port,
      development: false,
      // Streams are silent for as long as a model thinks: the planes have their own bounds.
      idleTimeout: 0,
      // Each plane bounds its bodies itself, with an answer that says so.
      maxRequestBodySize: 2 ** 40,
      fetch: (request, server) => handle(request, server.requestIP(request)?.address ?? ''),
    })
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    throw new StartError(
      code === 'EADDRINUSE'
        ? `Port ${port} of the ${name} is taken. Stop what uses it, or set ${variable} to another port.`
        : `The ${name} cannot listen on ${host} port ${port}: ${message}.`,
      { cause: error },
    )
  }
}

/** A caller's own id is kept, so that its log and ours can be joined. */
function requestId(request: Request): string {
  const given = request.headers.get('x-request-id')
  return given && /^[\w.-]{1,64}$/.test(given) ? given : crypto.randomUUID()
}

function routedRequest(request: Request, url: URL): Request {
  const path = routerPath(request.method, url.pathname)
  return path === url.pathname ? request : new Request(url.origin + path + url.search, request)
}
