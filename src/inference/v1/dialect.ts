import type { AnswerReader } from '#engines/dialect'
import { AppError } from '#kernel/errors'
import { encodeFrame } from '#kernel/http/sse'
import { tryParse } from '#kernel/json'
import { type Answer, reworded } from './answer'
import { isEventStream, wholeBody } from './relay'

/** Far more than one event of a chat. */
const MAX_EVENT_CHARS = 4 * 1024 * 1024

/** An engine's answer to a chat, as clients expect it. What cannot be read goes on as it is. */
export async function translated(answer: Answer, reader: AnswerReader): Promise<Answer> {
  const { body, headers } = answer.response
  if (isEventStream(answer))
    return reworded(answer, new Response(translatedEvents(body!, reader), { headers }))
  const bytes = await wholeBody(answer)
  const completion = objectIn(new TextDecoder().decode(bytes))
  const response = new Response(completion ? JSON.stringify(reader.whole(completion)) : bytes, {
    headers: { 'content-type': headers.get('content-type') ?? 'application/json' },
  })
  return reworded(answer, response)
}

function translatedEvents(
  body: ReadableStream<Uint8Array>,
  reader: AnswerReader,
): ReadableStream<Uint8Array> {
  const bytes = body.getReader()
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let held = ''

  function translate(text: string, done: boolean): string {
    const events = (held + text).split(/\r?\n\r?\n/)
    held = events.pop()!
    if (held.length > MAX_EVENT_CHARS)
      throw new AppError('upstream_error', 'The engine sent an endless event.')
    return events.map((event) => eventOf(event, reader)).join('') + (done ? framesOf(reader.end()) : '')
  }

  /** An event may mean nothing yet, so it reads on until there is something to say; `''` at the end. */
  async function next(): Promise<string> {
    for (;;) {
      const { done, value } = await bytes.read()
      const text = translate(decoder.decode(value, { stream: !done }), done)
      if (done || text !== '') return text
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(out) {
        const text = await next()
        if (text === '') out.close()
        else out.enqueue(encoder.encode(text))
      },
      cancel: (reason) => bytes.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** Comments and the end go on untouched. */
function eventOf(event: string, reader: AnswerReader): string {
  const data = /^data: ?(.*)$/m.exec(event)?.[1]
  if (data === '[DONE]') return `${framesOf(reader.end())}${event}\n\n`
  const chunk = data === undefined ? null : objectIn(data)
  return chunk ? framesOf(reader.chunk(chunk)) : `${event}\n\n`
}

const framesOf = (chunks: object[]): string => chunks.map((data) => encodeFrame({ data })).join('')

function objectIn(text: string): Record<string, unknown> | null {
  const value = tryParse(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}
