import { AppError } from '../errors'

/** Interface addresses of a development server and of the product, where nothing else is configured. */
export const defaultOrigins = (interfacePort: number): string[] =>
  [5173, 5174, interfacePort].flatMap((port) => [`http://localhost:${port}`, `http://127.0.0.1:${port}`])

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)

/**
 * Which pages and names may reach a listener. On loopback two attacks matter: a page elsewhere that posts to us, and
 * a name elsewhere that is pointed at us (DNS rebinding). The first shows in `Origin`, the second in `Host`.
 */
export function originGuard({ host, origins }: { host: string; origins: string[] }) {
  const allowed = new Set(origins)
  const names = new Set(origins.map((origin) => URL.parse(origin)?.hostname).filter(Boolean))
  const checked = isLoopback(host)

  return {
    /** @throws {AppError} `host_not_allowed`, `origin_not_allowed` */
    check(request: Request) {
      if (!checked) return
      const name = URL.parse(`http://${request.headers.get('host') ?? ''}`)?.hostname ?? ''
      if (!isLoopback(name) && !names.has(name)) {
        throw new AppError(
          'host_not_allowed',
          `This listener does not answer to the name ${name || '(none)'}. Add its address to SERVICE_CORS_ORIGINS.`,
        )
      }
      const origin = request.headers.get('origin')
      if (origin !== null && !allowed.has(origin) && origin !== `http://${request.headers.get('host')}`) {
        throw new AppError(
          'origin_not_allowed',
          `Pages of ${origin} may not call this. Add it to SERVICE_CORS_ORIGINS.`,
        )
      }
    },

    /** The headers that let an allowed page read the answer; none for everyone else. */
    corsHeaders(request: Request): Record<string, string> {
      const origin = request.headers.get('origin')
      if (origin === null || !allowed.has(origin)) return {}
      return {
        'access-control-allow-origin': origin,
        'access-control-expose-headers': 'x-request-id, retry-after',
        vary: 'origin',
      }
    },

    /** The answer to a preflight, or `null` when the request is none. */
    preflight(request: Request): Response | null {
      if (request.method !== 'OPTIONS' || !request.headers.has('access-control-request-method')) return null
      return new Response(null, {
        status: 204,
        headers: {
          ...this.corsHeaders(request),
          'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
          'access-control-allow-headers': request.headers.get('access-control-request-headers') ?? '',
          'access-control-allow-private-network': 'true',
          'access-control-max-age': '600',
        },
      })
    },
  }
}
