import type { LiveModel } from '#engines/live'
import { AppError } from '#kernel/errors'
import { DONE, EVENT_STREAM_HEADERS, encodeFrame } from '#kernel/http/sse'
import { tryParse } from '#kernel/json'
import type { Logger } from '#kernel/log'
import { finished } from './answer'
import type { Caller } from './caller'
import { failureBody } from './keepalive'
import { isEventStream, wholeBody } from './relay'
import { within } from './within'

/** So long a load is waited for in silence, and so often it is told of after that. */
export const LOAD_PROGRESS_MS = 3_000

interface Options {
  caller: Caller
  live: (id: string) => LiveModel
  progressMs: number
  log: Logger
}

/**
 * A streamed answer for which an engine may have to be loaded. What is known within `progressMs` has its own status, as
 * ever. A longer load is told of in comments of the stream, which every client of events passes over, so that neither
 * people nor proxies take the connection for dead; a failure after that is the stream's one event.
 */
export async function withLoadProgress(
  result: Promise<Response>,
  { caller, live, progressMs, log }: Options,
): Promise<Response> {
  const { load } = caller
  for (;;) {
    const early = await within(result, progressMs)
    if (early) return early
    // A model that thinks long is not a load: its answer keeps its status.
    if (load.model !== null) break
  }
  const progress = () =>
    load.model === null ? 'waiting for the model' : loadText(load.model, live(load.model))
  return streamOf(told(result, { progress, progressMs, loadMs: () => load.tookMs, log }))
}

function loadText(id: string, { phase, loadingMs = 0 }: LiveModel): string {
  const what = phase === 'waiting' ? 'waiting for a place in memory for' : 'loading'
  return `${what} ${id}, ${Math.round(loadingMs / 1000)} s`
}

interface Telling {
  progress: () => string
  progressMs: number
  loadMs: () => number
  log: Logger
}

async function* told(
  result: Promise<Response>,
  { progress, progressMs, loadMs, log }: Telling,
): AsyncGenerator<Uint8Array> {
  let answer: Response | null = null
  try {
    while (!answer) {
      yield bytesOf(`: ${progress()}\n\n`)
      answer = await within(result, progressMs)
    }
    yield bytesOf(`: waited ${Math.round(loadMs())} ms for a model to load\n\n`)
    if (isEventStream(finished(answer))) yield* answer.body!
    else yield await asEvents(answer)
  } catch (error) {
    yield bytesOf(encodeFrame({ data: failureBody(asUpstream(error), log) }))
  } finally {
    // The caller left before the answer's first byte: its engine is given back.
    if (answer?.body && !answer.body.locked) await answer.body.cancel()
  }
}

/** In a stream there is one code for whatever stops it (interface, 10.5). */
const asUpstream = (error: unknown): unknown =>
  error instanceof AppError
    ? new AppError('upstream_error', error.message, { status: error.status, cause: error })
    : error

/** A fallback that does not stream whatever it is asked: its one answer is one event. */
async function asEvents(answer: Response): Promise<Uint8Array> {
  const completion = tryParse(new TextDecoder().decode(await wholeBody(finished(answer))))
  const { choices, ...rest } = (completion ?? {}) as { choices?: Record<string, unknown>[] }
  if (!Array.isArray(choices)) throw new AppError('upstream_error', 'The provider sent no completion.')
  const chunks = choices.map(({ message, ...choice }) => ({ ...choice, delta: message }))
  return bytesOf(encodeFrame({ data: { ...rest, choices: chunks } }) + DONE)
}

function streamOf(pieces: AsyncGenerator<Uint8Array>): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(out) {
        const { done, value } = await pieces.next()
        if (done) out.close()
        else out.enqueue(value)
      },
      // Ends the answer too, once there is one; until then the caller's own signal ends the wait for it.
      cancel: () => void pieces.return(undefined),
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: EVENT_STREAM_HEADERS })
}

const bytesOf = (text: string) => new TextEncoder().encode(text)
