import { AppError } from '#kernel/errors'
import { tryParse } from '#kernel/json'
import { readAnswer } from '../read-answer'

/** An error's text beyond this is cut: it is for a person. */
const MAX_ERROR_BYTES = 64 * 1024
const MAX_MESSAGE_CHARS = 4_000

/** No answer at all: the provider has no status of its own to pass on. */
export const unreachable = (base: string, error: unknown) =>
  new AppError('upstream_error', `The provider at ${base} could not be reached: ${reasonOf(error)}.`, {
    cause: error,
  })

export const tooLate = (base: string) =>
  new AppError('upstream_timeout', `The provider at ${base} did not answer in time. Try again.`)

/** Why a connection failed, without the runtime's advice on its own flags. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string }
  return code && /^[A-Za-z_]+$/.test(code) ? code : (message ?? 'it broke off').replace(/\.+$/, '')
}

/**
 * The provider's own status and message (specification, part 6). A 404 and a redirect mean something of their own here.
 * `key` is what the provider was sent: some repeat it.
 */
export async function refusal(response: Response, base: string, key: string): Promise<AppError> {
  const { status } = response
  const said = (await messageOf(response)).replaceAll(key, '[redacted]')
  if (status >= 300 && status < 400) {
    return new AppError(
      'upstream_error',
      `The provider at ${base} answers with a redirect, which is not followed. Register the address it leads to.`,
    )
  }
  if (status === 404) {
    return new AppError(
      'modality_not_supported',
      `The provider answered 404 (${said}). Either the model does not do this, or its baseUrl lacks the API prefix /v1.`,
    )
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
