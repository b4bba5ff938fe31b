import { AppError } from '#kernel/errors'
import { tryParse } from '#kernel/json'
import { readAnswer } from '../read-answer'

/** An error's text beyond this is cut: it is for a person. */
const MAX_ERROR_BYTES = 64 * 1024
const MAX_MESSAGE_CHARS = 4_000

/** Whoever serves a model, for what is said when it does not. */
export interface Upstream {
  /** Begins a sentence. */
  name: string
  /** What it was sent: some repeat it. */
  key: string | null
  /** What a 404 of it means. */
  hint404: string
}

/** No answer at all: there is no status to pass on. */
export const unreachable = ({ name }: Upstream, error: unknown) =>
  new AppError('upstream_error', `${name} could not be reached: ${reasonOf(error)}.`, { cause: error })

/** In the middle of an answer. */
export const brokeOff = ({ name }: Upstream, error: unknown) =>
  new AppError('upstream_error', `${name} broke off its answer: ${reasonOf(error)}.`, { cause: error })

export const tooLate = ({ name }: Upstream) =>
  new AppError('upstream_timeout', `${name} did not answer in time. Try again.`)

/** Why a connection failed, without the runtime's advice on its own flags. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string }
  return code && /^[A-Za-z_]+$/.test(code) ? code : (message ?? 'it broke off').replace(/\.+$/, '')
}

/** The provider's own status and message (specification, part 6). A 404 and a redirect mean something of their own here. */
export async function refusal(response: Response, { name, key, hint404 }: Upstream): Promise<AppError> {
  const { status } = response
  const message = await messageOf(response)
  const said = key === null ? message : message.replaceAll(key, '[redacted]')
  if (status >= 300 && status < 400) {
    return new AppError(
      'upstream_error',
      `${name} answers with a redirect, which is not followed. Register the address it leads to.`,
    )
  }
  if (status === 404) {
    return new AppError('modality_not_supported', `${name} answered 404 (${said}). ${hint404}`)
  }
  const retryAfter = response.headers.get('retry-after')
  const headers: Record<string, string> = retryAfter ? { 'retry-after': retryAfter } : {}
  return new AppError('upstream_error', said, { status, headers })
}

async function messageOf(response: Response): Promise<string> {
  const fallback = `The provider answered ${response.status}.`
  // A body that breaks off tells less than the status, which is passed on in any case.
  const bytes = await readAnswer(response, MAX_ERROR_BYTES).catch(() => null)
  if (!bytes) return fallback
  const text = new TextDecoder().decode(bytes).trim()
  return (errorText(tryParse(text)) ?? text).slice(0, MAX_MESSAGE_CHARS) || fallback
}

/** The message in the shapes that providers use: `{error: {message}}`, `{error}`, `{message}`, `{detail}`. */
function errorText(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const { error, message, detail } = body as Record<string, unknown>
  const inner = (error as { message?: unknown } | null | undefined)?.message
  return [inner, error, message, detail].find(
    (text): text is string => typeof text === 'string' && text !== '',
  )
}
