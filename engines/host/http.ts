/** Chats carry pictures inline, and recordings are long. */
const MAX_BODY_BYTES = 300 * 1024 * 1024

/** A request that cannot be served, told in the words of the caller. */
export class HostError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

export const invalid = (message: string) => new HostError(400, message)

type Handler = (request: Request) => Response | Promise<Response>

/** Paths and what answers there: a GET where it takes no body, a POST where it does. */
export interface HostRoutes {
  get: Record<string, Handler>
  post: Record<string, Handler>
}

/**
 * Listens on the loopback interface at once and answers 503 until the model is loaded, as the engines' own servers do.
 * One that cannot be loaded ends the process, with the reason as its last output.
 */
export async function serveHost(port: number, load: () => Promise<HostRoutes>): Promise<number> {
  let routes: HostRoutes | null = null
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    // A model may think for minutes before its first word.
    idleTimeout: 0,
    development: false,
    maxRequestBodySize: MAX_BODY_BYTES,
    fetch: (request) => answer(routes, request),
  })
  routes = await load()
  return server.port!
}

async function answer(routes: HostRoutes | null, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (routes === null) return errorResponse(new HostError(503, 'Loading model'))
  if (pathname === '/health') return Response.json({ status: 'ok' })
  const handler = (request.method === 'POST' ? routes.post : routes.get)[pathname]
  if (!handler) return errorResponse(new HostError(404, `${request.method} ${pathname} is not served here.`))
  try {
    return await handler(request)
  } catch (error) {
    if (error instanceof HostError) return errorResponse(error)
    // Nobody is there to read it, and it is no failure of the engine.
    if (request.signal.aborted) return new Response(null, { status: 499 })
    // A bug, or the engine's own failure: whoever reads the engine's output needs all of it.
    process.stderr.write(`${(error as Error).stack ?? error}\n`)
    return errorResponse(new HostError(500, `The engine failed: ${(error as Error).message}`))
  }
}

/** In the envelope of the engines' own servers. */
export function errorBody({ status, message }: HostError) {
  return { error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', code: status } }
}

const errorResponse = (error: HostError) => Response.json(errorBody(error), { status: error.status })

/** The body as an object. @throws {HostError} 400 */
export async function jsonBody(request: Request): Promise<Record<string, unknown>> {
  const body: unknown = await request.json().catch(() => undefined)
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>
  throw invalid('The body must be a JSON object.')
}
