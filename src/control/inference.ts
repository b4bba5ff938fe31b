import { createParser } from 'eventsource-parser'
import type { ChatChunk, ChatRequest } from '#graph/ports'
import { AppError } from '#kernel/errors'
import { beginning, refusal, unreachable } from './inference-refusal'

/** One event of a stream; far above any token, tool call or image that a model sends in one. */
const MAX_EVENT_CHARS = 8 * 1024 * 1024
/** How an answer says that it waited for a load: in its head, or in a comment where the head had to go before that. */
const LOAD_HEADER = 'x-service-load-ms'
const LOAD_COMMENT = /^waited (\d+) ms for a model to load$/
/** After the protocol's end, so long is waited for the transport's, which lets the connection be used again. */
const LINGER_MS = 1_000

export type Inference = ReturnType<typeof inferenceClient>

/** The one client of the inference plane, which is reached over HTTP wherever it runs. `url` ends in `/v1`. */
export function inferenceClient({ url }: { url: string }) {
  return {
    /**
     * A streamed chat. Resolves once the model's side has accepted; then yields what came, as it came: all chunks of
     * one network read at once.
     * @throws {AppError} what the inference plane or the provider refused with, in their words and status
     */
    async chat(
      request: ChatRequest,
      { runId, signal }: { runId: string; signal: AbortSignal },
    ): Promise<AsyncIterable<ChatChunk[]>> {
      const response = await fetch(`${url}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-service-run-id': runId },
        body: JSON.stringify({ ...request, stream: true, stream_options: { include_usage: true } }),
        signal,
        // A model may think, or load, for longer than any default allows; the run's own signal ends it.
        timeout: false,
      } as RequestInit).catch((error) => {
        throw signal.aborted ? error : unreachable(url, error)
      })
      if (!response.ok || !response.body) throw await refusal(response)
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      const answer = isStream ? chunksOf(response.body, signal) : wholeAnswer(response)
      const loadMs = response.headers.get(LOAD_HEADER)
      return loadMs === null ? answer : afterLoad(Number(loadMs), answer)
    },
  }
}

async function* afterLoad(loadMs: number, answer: AsyncIterable<ChatChunk[]>): AsyncGenerator<ChatChunk[]> {
  yield [{ load_ms: loadMs }]
  yield* answer
}

async function* chunksOf(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<ChatChunk[]> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let chunks: ChatChunk[] = []
  let failure: AppError | undefined
  let isAnswered = false
  let isDone = false
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onComment(comment) {
      const loadMs = LOAD_COMMENT.exec(comment.trim())?.[1]
      if (loadMs !== undefined) chunks.push({ load_ms: Number(loadMs) })
    },
    onEvent({ data }) {
      if (isDone || failure) return
      if (data === '[DONE]') {
        isDone = true
        return
      }
      const chunk = parseChunk(data)
      if (chunk instanceof AppError) {
        failure = chunk
        return
      }
      if (chunk.choices?.[0]?.finish_reason) isAnswered = true
      chunks.push(chunk)
    },
  })
  try {
    while (!isDone && !failure) {
      const { done, value } = await read(reader, signal)
      if (done) break
      feed(parser, decoder.decode(value, { stream: true }))
      // What came before a failure in the same read is still passed on before it.
      if (chunks.length > 0) yield chunks
      chunks = []
    }
    if (failure) throw failure
    if (!isDone && !isAnswered) throw broken('it ended before the answer did')
  } finally {
    void linger(reader)
  }
}

/** Some providers do not stream whatever they are asked: their one answer is one chunk. */
async function* wholeAnswer(response: Response): AsyncGenerator<ChatChunk[]> {
  const text = await beginning(response, MAX_EVENT_CHARS)
  const answer = parseChunk(text)
  if (answer instanceof AppError) throw answer
  yield [{ ...answer, choices: answer.choices?.map(({ message, ...rest }) => ({ ...rest, delta: message })) }]
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>, signal: AbortSignal) {
  try {
    return await reader.read()
  } catch (error) {
    throw signal.aborted ? error : broken((error as Error).message)
  }
}

function feed(parser: ReturnType<typeof createParser>, text: string) {
  try {
    parser.feed(text)
  } catch {
    // The parser's only complaint is about its buffer.
    throw broken(`one event is larger than ${MAX_EVENT_CHARS} characters`)
  }
}

function parseChunk(data: string): ChatChunk | AppError {
  let chunk: ChatChunk | null
  try {
    chunk = JSON.parse(data)
  } catch {
    return broken('it sent an event that is not JSON')
  }
  if (chunk === null || typeof chunk !== 'object') return broken('it sent an event that is not an object')
  if (!chunk.error) return chunk
  const { message, code } =
    typeof chunk.error === 'string' ? { message: chunk.error, code: null } : chunk.error
  return new AppError(
    typeof code === 'string' && code ? code : 'upstream_error',
    typeof message === 'string' && message ? message : 'The provider reported a failure without a message.',
    { status: 502 },
  )
}

/** Reads on to the transport's end, or hangs up on who does not come to it. */
async function linger(reader: ReadableStreamDefaultReader<Uint8Array>) {
  const timer = setTimeout(() => void hangUp(reader), LINGER_MS)
  try {
    while (!(await reader.read()).done);
  } catch {
    // Aborted, or broken after the answer was complete: nobody waits for it any more.
  }
  clearTimeout(timer)
}

const hangUp = (reader: ReadableStreamDefaultReader<Uint8Array>) => reader.cancel().catch(() => {})

const broken = (why: string) =>
  new AppError('upstream_error', `The model's stream broke off: ${why}.`, { status: 502 })
