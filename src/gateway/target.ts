/** The two upstreams: the provider of `/v1/messages`, and that of `/v1/responses` and `/v1/chat/…`. */
export type Provider = 'anthropic' | 'openai'
export type Kind = 'generate' | 'count_tokens' | 'models' | 'other'

export interface Target {
  provider: Provider
  kind: Kind
  /** Path without the query. */
  path: string
  /** Path and query, as the client sent them. */
  rest: string
  /** One of the client tools' model endpoints: all that an organization's key serves. */
  modelEndpoint: boolean
}

const ANTHROPIC = /^\/v1\/messages(\/|$)/
const OPENAI = /^\/v1\/(responses|chat)(\/|$)/
const MODELS = /^\/v1\/models(\/|$)/
const MODEL_ENDPOINTS = new Map<string, Kind>([
  ['POST /v1/messages', 'generate'],
  ['POST /v1/messages/count_tokens', 'count_tokens'],
  ['GET /v1/models', 'models'],
  ['POST /v1/responses', 'generate'],
  ['POST /v1/responses/compact', 'generate'],
  ['POST /v1/chat/completions', 'generate'],
])
/** An id is one segment, and nothing in it may be decoded into more. */
const ONE_MODEL = /^GET \/v1\/models\/[\w.:@-]+$/

/** Where a request goes: decided by its path, never by anything else the client says (design C1). */
export function targetOf(request: Request): Target {
  const { url, method } = request
  // `http://host/path?query`: what follows the host. The runtime has taken `..` out of it.
  const start = url.indexOf('/', url.indexOf('//') + 2)
  const rest = start < 0 ? '/' : url.slice(start)
  const query = rest.indexOf('?')
  const path = query < 0 ? rest : rest.slice(0, query)
  const endpoint = `${method} ${path}`
  const kind = MODEL_ENDPOINTS.get(endpoint) ?? (ONE_MODEL.test(endpoint) ? 'models' : undefined)
  return {
    provider: providerOf(path, request.headers),
    kind: kind ?? 'other',
    path,
    rest,
    modelEndpoint: kind !== undefined,
  }
}

function providerOf(path: string, headers: Headers): Provider {
  if (ANTHROPIC.test(path)) return 'anthropic'
  if (OPENAI.test(path)) return 'openai'
  if (MODELS.test(path)) return headers.has('anthropic-version') ? 'anthropic' : 'openai'
  return 'anthropic'
}
