import { AppError } from '#kernel/errors'
import { controlEnvelope } from '#kernel/http/plane'

/** What the browser is told about this process's planes, so that moved ports just work. */
export interface Addresses {
  control: string
  inference: string
  gateway: string
}

interface Asset {
  body: Uint8Array<ArrayBuffer>
  gzip: Uint8Array<ArrayBuffer> | null
  headers: Record<string, string>
}

/** Below this, compression saves nothing. */
const COMPRESS_FROM_BYTES = 1024
const COMPRESSIBLE = /^(text\/|application\/(json|javascript)|image\/svg)/
/** Names with a content hash never change. */
const HASHED = /-[a-z0-9]{8}\.[a-z0-9]+$/i

/**
 * Serves the browser application. `files`: request path → path of the embedded file; every other path that a browser
 * asks for as a page is the application itself, which has its own routes.
 */
export function interfaceApp({
  files,
  addresses,
  version,
}: {
  files: Record<string, string>
  addresses: Addresses
  version: string
}) {
  const assets = new Map<string, Promise<Asset>>()
  const security = securityHeaders(addresses)

  async function load(path: string): Promise<Asset> {
    const file = Bun.file(files[path]!)
    const body = new Uint8Array(await file.arrayBuffer())
    const type = contentType(path)
    const caching = HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache'
    return {
      body,
      gzip:
        COMPRESSIBLE.test(type) && body.byteLength >= COMPRESS_FROM_BYTES
          ? Bun.gzipSync(body, { level: 9 })
          : null,
      headers: {
        ...security,
        'content-type': type,
        'cache-control': caching,
        etag: `"${Bun.hash(body).toString(36)}"`,
        vary: 'accept-encoding',
      },
    }
  }

  async function asset(request: Request, path: string): Promise<Response> {
    const loading = assets.get(path) ?? load(path)
    assets.set(path, loading)
    const { body, gzip, headers } = await loading
    if (request.headers.get('if-none-match') === headers.etag)
      return new Response(null, { status: 304, headers })
    const zipped = gzip && /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')
    return new Response(zipped ? gzip : body, {
      headers: zipped ? { ...headers, 'content-encoding': 'gzip' } : headers,
    })
  }

  return async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse('This listener serves the interface only.')
    if (pathname === '/healthz') return Response.json({ status: 'ok' })
    if (pathname === '/config.json') {
      return Response.json(
        { ...addresses, version },
        { headers: { ...security, 'cache-control': 'no-store' } },
      )
    }
    if (files[pathname]) return asset(request, pathname)
    if (!isPage(request, pathname) || !files['/index.html']) return refuse(`No such file: ${pathname}.`)
    return asset(request, '/index.html')
  }
}

/** What has a dot may be a file that is missing, or a page of something whose id has dots, which a browser navigates to. */
const isPage = (request: Request, pathname: string): boolean =>
  !/\.[a-z0-9]+$/i.test(pathname) || /\btext\/html\b/.test(request.headers.get('accept') ?? '')

const refuse = (message: string) =>
  Response.json(controlEnvelope(new AppError('not_found', message)), { status: 404 })

/** The page may speak to this process's planes and to nobody else, and may not be framed. */
function securityHeaders({ control, inference, gateway }: Addresses): Record<string, string> {
  // The page may be opened as localhost or as 127.0.0.1, and calls the planes under the same name.
  const planes = [control, inference, gateway].flatMap((url) => [
    url,
    url.replace('//127.0.0.1', '//localhost'),
  ])
  const policy = [
    "default-src 'self'",
    `connect-src 'self' ${[...new Set(planes)].join(' ')}`,
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "style-src 'self' 'unsafe-inline'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(self), microphone=(self), geolocation=()',
  }
}

function contentType(path: string): string {
  const type = Bun.file(path).type
  return type.startsWith('text/') && !type.includes('charset') ? `${type};charset=utf-8` : type
}
