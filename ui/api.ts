import { treaty } from '@elysiajs/eden/treaty2'
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream'
import type { ControlApp } from '../src/control/app'
import type { Problem } from '../src/graph/problem'
import type { InferenceApp } from '../src/inference/app'
import { baseUrl, type PlaneName } from './addresses'
import { forgetToken, storedToken } from './session'
import { texts as shell } from './texts/shell'

const texts = shell.api

/**
 * The typed clients: `ok(control.users.get())` is the parsed body, or throws an `ApiError`. Ids that may hold a slash
 * (logical ids of models) go in as `encodeURIComponent(id)`.
 */
export const control = treaty<ControlApp>('http://control', {
  fetcher: fetcherFor('control'),
  parseDate: false,
})
export const inference = treaty<InferenceApp>('http://inference', {
  fetcher: fetcherFor('inference'),
  parseDate: false,
})

/** A plane's refusal in its own words, or why it could not be asked (status 0, code `unreachable`). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Of 429 answers: how long to wait. */
    readonly retryAfterSeconds: number | null = null,
    /** Of failed runs. */
    readonly runId: string | null = null,
    /** Of documents that are refused: everything that is wrong with them. */
    readonly problems: Problem[] = [],
  ) {
    super(message)
    this.name = 'ApiError'
  }
}

interface Answer {
  data: unknown
  error: { value: unknown } | null
  response: Response
}

/** The body of a successful answer. @throws {ApiError} */
export async function ok<A extends Answer>(answer: Promise<A>): Promise<Exclude<A['data'], null>> {
  const { data, error, response } = await answer
  if (error === null) return data as Exclude<A['data'], null>
  if (error.value instanceof ApiError) throw error.value
  throw refusal(response, error.value)
}

/** One request to a plane with the bearer attached; any answer but a success throws. @throws {ApiError} */
export async function request(plane: PlaneName, path: string, init: RequestInit = {}): Promise<Response> {
  const response = await send(plane, path, init)
  if (!response.ok) throw refusal(response, await bodyOf(response))
  return response
}

interface StreamOptions {
  plane?: PlaneName
  method?: string
  /** Sent as JSON. */
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

/**
 * Opens a stream of server-sent events. It resolves once the server accepted, so refusals throw here; then the events
 * come as the server sends them. Leaving the loop closes the connection.
 * @throws {ApiError}
 */
export async function openEventStream(
  path: string,
  { plane = 'control', method = 'GET', body, headers = {}, signal }: StreamOptions = {},
): Promise<{ response: Response; events: AsyncIterable<EventSourceMessage> }> {
  const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await request(plane, path, {
    method,
    signal,
    headers: { accept: 'text/event-stream', ...json, ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  return { response, events: eventsOf(response) }
}

async function* eventsOf(response: Response): AsyncGenerator<EventSourceMessage> {
  if (!response.body) return
  const reader = response.body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    .pipeThrough(new EventSourceParserStream())
    .getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // The reader may have ended with the stream already.
    await reader.cancel().catch(() => undefined)
  }
}

/** Eden builds the path; where the plane is comes at call time. */
function fetcherFor(plane: PlaneName): typeof fetch {
  const fetcher = (input: RequestInfo | URL, init?: RequestInit) =>
    send(plane, String(input).slice(`http://${plane}`.length), init)
  return fetcher as typeof fetch
}

async function send(plane: PlaneName, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  const token = storedToken()
  // The inference plane asks for no bearer, and a session token is nobody's business but the control plane's.
  if (token && plane === 'control') headers.set('authorization', `Bearer ${token}`)
  const base = await baseUrl(plane)
  let response: Response
  try {
    response = await fetch(base + path, { ...init, headers })
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error
    throw new ApiError(0, 'unreachable', texts.unreachable(plane, base))
  }
  if (response.status === 401 && plane === 'control' && token) await signOutIfRefused(response.clone(), token)
  return response
}

/**
 * A bearer that is unknown, expired or revoked is forgotten, which brings up the sign-in screen wherever the person is.
 * Not so a newer one: somebody may have signed in again while this answer was under way.
 */
async function signOutIfRefused(response: Response, token: string) {
  const body = (await bodyOf(response)) as { error?: { code?: string } } | null
  if (body?.error?.code === 'unauthorized' && storedToken() === token) forgetToken(true)
}

function refusal(response: Response, body: unknown): ApiError {
  const { error, runId, problems } = (body ?? {}) as {
    error?: { message?: string; code?: string }
    runId?: string
    problems?: Problem[]
  }
  return new ApiError(
    response.status,
    error?.code ?? `http_${response.status}`,
    error?.message ?? texts.noMessage(response.status),
    Number(response.headers.get('retry-after')) || null,
    runId ?? null,
    problems,
  )
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    // Not an envelope: a proxy in between, or an answer that was cut.
    return null
  }
}
