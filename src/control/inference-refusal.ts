import { AppError } from '#kernel/errors'

/** What is read of a refusal, whose message is shown to a person. */
const MAX_ERROR_CHARS = 64 * 1024

/** The inference plane's own codes come with its statuses; a provider keeps the status and message it refused with. */
export async function refusal(response: Response): Promise<AppError> {
  const text = await beginning(response, MAX_ERROR_CHARS)
  let error: { message?: unknown; code?: unknown } = {}
  try {
    error = JSON.parse(text).error ?? {}
  } catch {
    // Not our plane's envelope: whatever answered there is shown as it is.
  }
  const { message, code } = typeof error === 'string' ? { message: error, code: undefined } : error
  const retryAfter = response.headers.get('retry-after')
  return new AppError(
    typeof code === 'string' && code ? code : 'inference_error',
    typeof message === 'string' && message
      ? message
      : text.trim().slice(0, 300) || `The inference plane answered ${response.status}.`,
    {
      status: response.status >= 400 ? response.status : 502,
      headers: retryAfter ? { 'retry-after': retryAfter } : {},
    },
  )
}

/** As much of a body as is looked at; the rest is not waited for. */
export async function beginning({ body }: Response, maxChars: number): Promise<string> {
  if (!body) return ''
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true })
    if (text.length > maxChars) break
  }
  return text
}

export const unreachable = (url: string, cause: unknown) =>
  new AppError('inference_unreachable', `The inference plane does not answer at ${url}. Is it running?`, {
    cause,
  })
