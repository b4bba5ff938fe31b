import { AppError } from '#kernel/errors'
import { inferenceEnvelope } from '#kernel/http/plane'
import { encodeFrame } from '#kernel/http/sse'
import { readAnswer } from '../read-answer'
import { reasonOf } from './refusal'

export const isEventStream = (answer: Response): boolean =>
  answer.body !== null && answer.headers.get('content-type')?.startsWith('text/event-stream') === true

/** Answers held whole: a long recording, or several large images in base64. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024

/**
 * The whole body of an answer, so that a provider that breaks off in the middle is still a clean failure.
 * @throws {AppError} `upstream_error`
 */
export async function wholeBody(answer: Response): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readAnswer(answer, MAX_ANSWER_BYTES).catch((error) => {
    // An engine's failure says more than the connection's.
    if (error instanceof AppError) throw error
    throw new AppError('upstream_error', `The provider broke off its answer: ${reasonOf(error)}.`)
  })
  if (bytes) return bytes
  throw new AppError('upstream_error', `The answer is larger than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB.`)
}

/** An answer of our own with the provider's content type; none of its other headers is ours to repeat. */
export const answerWith = (answer: Response, body: BodyInit): Response =>
  new Response(body, {
    headers: { 'content-type': answer.headers.get('content-type') ?? 'application/octet-stream' },
  })

/** The provider's answer as it is: a stream of events as it comes, anything else whole. */
export const relay = async (answer: Response): Promise<Response> =>
  isEventStream(answer) ? relayEvents(answer) : answerWith(answer, await wholeBody(answer))

/**
 * The events of a provider, byte by byte as they come: nothing is parsed, the next bytes are asked for when the client
 * has taken the last, and a client that leaves ends the provider's request. A stream that breaks ends with one event
 * that says so, because the 200 is long gone.
 */
export function relayEvents(answer: Response): Response {
  const reader = answer.body!.getReader()
  let betweenEvents = true
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(out) {
        try {
          const { done, value } = await reader.read()
          if (done) return out.close()
          betweenEvents = value.at(-1) === NEWLINE && value.at(-2) === NEWLINE
          out.enqueue(value)
        } catch (error) {
          out.enqueue(new TextEncoder().encode(breakFrame(betweenEvents, error)))
          out.close()
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  const response = answerWith(answer, body)
  response.headers.set('cache-control', 'no-cache')
  response.headers.set('x-accel-buffering', 'no')
  return response
}

const NEWLINE = 0x0a

/** An event that was cut in the middle is ended first, so that it does not swallow this one. */
function breakFrame(betweenEvents: boolean, error: unknown): string {
  const failure =
    error instanceof AppError
      ? error
      : new AppError('upstream_error', `The provider's stream broke off: ${reasonOf(error)}.`)
  return (betweenEvents ? '' : '\n\n') + encodeFrame({ data: inferenceEnvelope(failure) })
}
