import { AppError } from '#kernel/errors'
import { inferenceEnvelope } from '#kernel/http/plane'
import { encodeFrame } from '#kernel/http/sse'
import { readAnswer } from '../read-answer'
import type { Answer } from './answer'

export const isEventStream = ({ response: { body, headers } }: Answer): boolean =>
  body !== null && headers.get('content-type')?.startsWith('text/event-stream') === true

/** Answers held whole: a long recording, or several large images in base64. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024

/**
 * The whole body of an answer, so that a provider that breaks off in the middle is still a clean failure.
 * @throws {AppError} `upstream_error`
 */
export async function wholeBody({ response, end, failure }: Answer): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const bytes = await readAnswer(response, MAX_ANSWER_BYTES).catch(async (error: unknown) => {
      throw await failure(error)
    })
    if (bytes) return bytes
  } finally {
    end()
  }
  throw new AppError('upstream_error', `The answer is larger than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB.`)
}

/** An answer of our own with the provider's content type; none of its other headers is ours to repeat. */
export const answerWith = ({ response }: Answer, body: BodyInit): Response =>
  new Response(body, {
    headers: { 'content-type': response.headers.get('content-type') ?? 'application/octet-stream' },
  })

/** The provider's answer as it is: a stream of events as it comes, anything else whole. */
export const relay = async (answer: Answer): Promise<Response> =>
  isEventStream(answer) ? relayEvents(answer) : answerWith(answer, await wholeBody(answer))

/**
 * The events of a provider, byte by byte as they come: nothing is parsed, the next bytes are asked for when the client
 * has taken the last, and a client that leaves ends the provider's request. A stream that breaks ends with one event
 * that says so, because the 200 is long gone.
 */
export function relayEvents({ response, end, failure }: Answer): Response {
  const reader = response.body!.getReader()
  let betweenEvents = true
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(out) {
        try {
          const { done, value } = await reader.read()
          if (!done) {
            betweenEvents = value.at(-1) === NEWLINE && value.at(-2) === NEWLINE
            return out.enqueue(value)
          }
          end()
          out.close()
        } catch (error) {
          const frame = breakFrame(betweenEvents, await failure(error))
          end()
          out.enqueue(new TextEncoder().encode(frame))
          out.close()
        }
      },
      cancel(reason) {
        end()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, {
    headers: {
      'content-type': response.headers.get('content-type')!,
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    },
  })
}

const NEWLINE = 0x0a

/** An event that was cut in the middle is ended first, so that it does not swallow this one. */
const breakFrame = (betweenEvents: boolean, failure: AppError): string =>
  (betweenEvents ? '' : '\n\n') + encodeFrame({ data: inferenceEnvelope(failure) })
