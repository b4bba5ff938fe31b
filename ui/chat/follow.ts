import { texts } from '../texts/chat'
import { DONE, type RunFrame } from './answer'

/** The run as `GET /runs/{id}` answers it, as far as it matters here. */
interface RunState {
  status: string
  output: string | null
  error: string | null
}

/** A durable run that was begun: it has no stream, its record tells how it goes. */
export interface Begun {
  runId: string
}

/** An answer that came at once, without a run: `messageId` is its turn's first message in the session. */
export interface Said {
  output: string
  messageId: string | null
}

export type Heard =
  | { kind: 'frame'; frame: RunFrame }
  | { kind: 'begun'; runId: string }
  | { kind: 'said'; said: Said }
  /** The stream broke; it is being taken up again. */
  | { kind: 'reconnecting' }
  /** The stream is gone for good; this is how the run ended. */
  | { kind: 'record'; run: RunState }

export interface Source {
  /** Starts the run. Absent when it already goes on. */
  start?: (signal: AbortSignal) => Promise<AsyncIterable<RunFrame> | Begun | Said>
  attach: (runId: string, lastEventId: string | null, signal: AbortSignal) => Promise<AsyncIterable<RunFrame>>
  record: (runId: string, signal: AbortSignal) => Promise<RunState>
  /** Milliseconds pass; rejects when the signal fires. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface Position {
  runId: string | null
  lastEventId: string | null
}

/** A run outlives its listener by ten seconds (interface, 3.2), so the first attempts come fast. */
const RETRY_MS = [0, 250, 500, 1000, 2000, 4000]
const POLL_MS = 1000
/** A person thinks longer than a machine works. */
const WAITING_POLL_MS = 3000
const GIVE_UP_AFTER_POLLS = 60

/**
 * Listens to a run until it is over, through as many connections as it takes:
 * 1. a stream that ends with `[DONE]` is complete;
 * 2. one that breaks earlier is taken up again after the last event heard;
 * 3. where the server no longer keeps the stream, or never had one, or cannot be reached for long, the run's record
 *    tells the end.
 * Errors of the server itself (a status with a code) are the caller's to show, except that a stream is gone.
 */
export async function* follow(source: Source, from: Position, signal: AbortSignal): AsyncGenerator<Heard> {
  const position = { ...from }
  let connection: ReturnType<NonNullable<Source['start']>> | undefined = source.start?.(signal)
  for (let failures = 0; failures < RETRY_MS.length; failures++) {
    connection ??= source.attach(position.runId!, position.lastEventId, signal)
    const ending = yield* listen(connection, position, signal)
    if (ending === 'complete' || signal.aborted) return
    if (ending === 'gone') break
    if (ending === 'broken') failures = 0
    connection = undefined
    yield { kind: 'reconnecting' }
    await source.wait(RETRY_MS[failures]!, signal)
  }
  yield* untilOver(source, position.runId!, signal)
}

/** How a connection ended; `silent` is a broken one that brought nothing. */
type Ending = 'complete' | 'gone' | 'broken' | 'silent'

async function* listen(
  connection: Promise<AsyncIterable<RunFrame> | Begun | Said>,
  position: Position,
  signal: AbortSignal,
): AsyncGenerator<Heard, Ending> {
  let ending: Ending = 'silent'
  try {
    const opened = await connection
    if (!(Symbol.asyncIterator in opened)) return yield* atOnce(opened, position)
    for await (const frame of opened) {
      ending = 'broken'
      remember(position, frame)
      yield { kind: 'frame', frame }
      if (frame.data === DONE) return 'complete'
    }
  } catch (error) {
    if (signal.aborted) return ending
    if (position.runId === null) throw error
    if (isGone(error)) return 'gone'
    if (isRefusal(error)) throw error
  }
  if (position.runId === null && !signal.aborted) throw new Error(texts.failures.notBegun)
  return ending
}

/** What has no stream: an answer that is whole, or a run whose record tells how it goes. */
function* atOnce(opened: Begun | Said, position: Position): Generator<Heard, Ending> {
  if ('output' in opened) {
    yield { kind: 'said', said: opened }
    return 'complete'
  }
  position.runId = opened.runId
  yield { kind: 'begun', runId: opened.runId }
  return 'gone'
}

/** Asks for the record until the run is over; a server that is away for a minute is given up. */
async function* untilOver(source: Source, runId: string, signal: AbortSignal): AsyncGenerator<Heard> {
  let failures = 0
  while (!signal.aborted) {
    let pauseMs = POLL_MS
    try {
      const run = await source.record(runId, signal)
      failures = 0
      if (run.status === 'waiting') pauseMs = WAITING_POLL_MS
      if (run.status === 'completed' || run.status === 'failed') {
        yield { kind: 'record', run }
        return
      }
    } catch (error) {
      if (signal.aborted) return
      if (isRefusal(error) || ++failures >= GIVE_UP_AFTER_POLLS) throw error
    }
    await source.wait(pauseMs, signal)
  }
}

function remember(position: Position, { event, id, data }: RunFrame) {
  if (id !== undefined) position.lastEventId = id
  if (event === 'run') position.runId = (JSON.parse(data) as { runId?: string }).runId ?? position.runId
}

const statusOf = (error: unknown) =>
  typeof error === 'object' && error !== null && 'status' in error ? Number(error.status) : 0

/** The server's own no: asking again would give the same. */
const isRefusal = (error: unknown) => statusOf(error) >= 400 && statusOf(error) < 500

const isGone = (error: unknown) => statusOf(error) === 410
