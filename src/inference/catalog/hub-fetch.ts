import { AppError } from '#kernel/errors'
import { Unreachable } from './source'

const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]
const MAX_REASON_CHARS = 300

interface Options {
  /** The hub's address. */
  base: string
  /** The hub's token; it goes to the hub's own origin and nowhere else. */
  token: () => Promise<string | undefined>
  version: string
}

export type HubFetch = ReturnType<typeof hubFetch>

/**
 * GET and POST of the hub. Redirects are followed here: the hub sends files from other origins, which must not get the
 * token. A refusal is thrown as the error that the caller is to see.
 */
export const hubFetch =
  ({ base, token, version }: Options) =>
  async (address: string, { repo, ...request }: RequestInit & { repo?: string }): Promise<Response> => {
    const bearer = await token()
    const origin = new URL(base).origin
    let url = new URL(address)
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const headers = new Headers(request.headers)
      headers.set('user-agent', `tycho/${version}`)
      if (bearer !== undefined && url.origin === origin) headers.set('authorization', `Bearer ${bearer}`)
      const response = await send(url, { ...request, headers, redirect: 'manual' })
      if (response.ok) return response
      const target = REDIRECTS.includes(response.status) ? response.headers.get('location') : null
      if (target === null)
        throw await refusalOf(response, { repo, hasToken: bearer !== undefined, host: url.host })
      void response.body?.cancel().catch(ignore)
      url = nextUrl(target, url)
    }
    throw new AppError('catalog_error', `${origin} redirects more than ${MAX_REDIRECTS} times.`)
  }

async function send(url: URL, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request)
  } catch (error) {
    if (request.signal?.aborted) throw request.signal.reason
    throw new Unreachable(`${url.origin} cannot be reached (${codeOf(error)}).`, null, error)
  }
}

interface Asked {
  repo: string | undefined
  hasToken: boolean
  host: string
}

const SHORTER = 'The file is not as long as the hub said. Install it again.'
const TOKEN_HINT = 'set it with PUT /admin/credentials/HF_TOKEN, or sign this machine in with `hf auth login`'

/** What the hub's refusal means; it tells kinds apart in a header of its own. */
async function refusalOf(response: Response, { repo, hasToken, host }: Asked): Promise<AppError> {
  const { status, headers } = response
  void response.body?.cancel().catch(ignore)
  const kind = headers.get('x-error-code')
  if (status === 429 || status >= 500 || status === 408)
    return new Unreachable(`${host} answered with the status ${status}.`, retryAfterOf(headers))
  if (status === 416) return new AppError('catalog_error', SHORTER)
  if (repo !== undefined && kind === 'GatedRepo') {
    const how = hasToken
      ? 'Accept its terms there with the account of the token that is used here.'
      : `Accept its terms there and give Tycho your token: ${TOKEN_HINT}.`
    return new AppError('repository_gated', `${repo} is gated: see https://${host}/${repo}. ${how}`)
  }
  if (status === 401 && hasToken && kind !== 'RepoNotFound') {
    return new AppError('catalog_error', `${host} refuses the token. For a valid one, ${TOKEN_HINT}.`)
  }
  if (repo !== undefined && [401, 403, 404].includes(status)) return absentOf(repo, kind, hasToken)
  const reason = headers.get('x-error-message')?.slice(0, MAX_REASON_CHARS)
  return new AppError('catalog_error', `${host} answered with the status ${status}. ${reason ?? ''}`.trim())
}

function absentOf(repo: string, kind: string | null, hasToken: boolean): AppError {
  const what =
    kind === 'EntryNotFound' || kind === 'RevisionNotFound'
      ? `A file of ${repo} is not there any more.`
      : `There is no repository ${repo}, or it is private.`
  return new AppError('repository_not_found', hasToken ? what : `${what} For a private one, ${TOKEN_HINT}.`)
}

function nextUrl(target: string, from: URL): URL {
  const url = URL.parse(target, from)
  if (url && /^https?:$/.test(url.protocol) && !(from.protocol === 'https:' && url.protocol === 'http:'))
    return url
  throw new AppError('catalog_error', `${from.origin} redirects to where nothing can be fetched safely.`)
}

/** Seconds, or a date. */
function retryAfterOf(headers: Headers): number | null {
  const value = headers.get('retry-after')
  if (value === null) return null
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? 'the connection broke'

/** What is given up is not waited for. */
const ignore = () => undefined
