import type { AppError } from '#kernel/errors'
import { refusal, type Upstream } from './refusal'

/** A model may think long before it says anything, a render even longer; one that is gone must not hold us. */
export const ANSWER_WITHIN_MS = 20 * 60_000

interface Options {
  upstream: Upstream
  url: string
  headers: Record<string, string>
  body: BodyInit
  /** Each of them ends the request. */
  signals: readonly AbortSignal[]
  answerWithinMs: number
  /** Whether the connection may serve another request later. */
  keepalive: boolean
  /** What it means that no answer came; `late` where the time was over. */
  noAnswer: (error: unknown, late: boolean) => AppError | Promise<AppError>
}

/** Posts to whatever serves a model and waits until that answers; only a success is returned, its body unread. */
export async function send(options: Options): Promise<Response> {
  const { upstream, url, headers, body, signals, answerWithinMs, keepalive, noAnswer } = options
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), answerWithinMs)
  const request = {
    method: 'POST',
    // Compressed streams arrive in lumps.
    headers: { ...headers, 'accept-encoding': 'identity' },
    body,
    keepalive,
    // A redirect would take the key to an address that nobody registered.
    redirect: 'manual' as const,
    signal: AbortSignal.any([...signals, late.signal]),
    // Bun's own limit of silence is shorter than some models think.
    timeout: false,
  }
  try {
    // What ends it may be any error, also one of ours that a signal carries.
    const response = await fetch(url, request).catch(async (error: unknown) => {
      throw await noAnswer(error, late.signal.aborted)
    })
    if (response.ok) return response
    throw await refusal(response, upstream)
  } finally {
    clearTimeout(timer)
  }
}
