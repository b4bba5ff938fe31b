import { Worker } from 'node:worker_threads'
import type { Logger } from '#kernel/log'
import { contentTail, type SentTail } from './content'
import type { GatewayConfig } from './record'
import { redactor } from './redact'
import { bodyFields, conversationOf, type RequestFacts, requestFacts } from './request-facts'

/** A larger body is read by a worker: its parsing would hold up every stream. */
const MAX_INLINE_BYTES = 1024 * 1024
/** Bodies that the worker has in hand or before it; what comes on top is recorded without its facts. */
const MAX_WAITING_BYTES = 160 * 1024 * 1024
/** Then the worker ends and gives its memory back. */
const IDLE_MS = 10_000
/** In the executable all modules are one file; the worker is a second one, where `build/binary.ts` put it. */
const WORKER = import.meta.url.endsWith('.ts')
  ? './reading-worker.ts'
  : './gateway/recording/reading-worker.js'

/** What a request said, whoever read it. */
export interface Said {
  facts: RequestFacts
  /** Level full: the messages from the `before`th on. */
  tail(before: number): Tail
}

export interface Tail {
  messages: unknown
  /** Some of it was left out already. */
  cut: boolean
  redactions: number
}

/** What to keep of a conversation, null for nothing. */
export type Keeping = Pick<GatewayConfig, 'redact_rules' | 'max_content_bytes'> | null

export interface ReadTask {
  id: number
  bytes: Uint8Array
  keep: Keeping
}

export interface ReadAnswer {
  id: number
  facts: RequestFacts
  tail: SentTail | null
}

const noTail = (): Tail => ({ messages: [], cut: false, redactions: 0 })
const NOTHING_SAID: Said = { facts: requestFacts({}), tail: noTail }

/** Reads the bodies of requests: at once where that is quick, else in a worker that lives while there is work. */
export function bodyReader(log: Logger) {
  const waiting = new Map<number, { bytes: number; tell: (said: Said) => void }>()
  let lastId = 0
  let waitingBytes = 0
  let worker: Worker | null = null
  let idle: ReturnType<typeof setTimeout> | undefined

  function started(): Worker {
    clearTimeout(idle)
    if (worker) return worker
    const made = new Worker(new URL(WORKER, import.meta.url))
    made.unref()
    made.on('message', (answer: ReadAnswer) => settle(answer.id, saidBy(answer)))
    made.on('error', ({ message }) =>
      log.warn({ reason: message }, 'the bodies of large requests could not be read for their records'),
    )
    made.on('exit', () => {
      if (worker === made) stop()
    })
    worker = made
    return made
  }

  function settle(id: number, said: Said) {
    const one = waiting.get(id)
    if (!one) return
    waiting.delete(id)
    waitingBytes -= one.bytes
    one.tell(said)
    if (waiting.size > 0) return
    idle = setTimeout(stop, IDLE_MS)
    idle.unref()
  }

  function stop() {
    for (const id of waiting.keys()) settle(id, NOTHING_SAID)
    clearTimeout(idle)
    void worker?.terminate()
    worker = null
  }

  function inWorker(bytes: Uint8Array, keep: Keeping): Promise<Said> | Said {
    if (waitingBytes + bytes.byteLength > MAX_WAITING_BYTES) return NOTHING_SAID
    const id = ++lastId
    const { promise, resolve } = Promise.withResolvers<Said>()
    waiting.set(id, { bytes: bytes.byteLength, tell: resolve })
    waitingBytes += bytes.byteLength
    started().postMessage({ id, bytes, keep } satisfies ReadTask)
    return promise
  }

  return {
    read: (bytes: Uint8Array | null, keep: Keeping): Promise<Said> | Said =>
      bytes === null || bytes.byteLength <= MAX_INLINE_BYTES ? readHere(bytes, keep) : inWorker(bytes, keep),
    stop,
  }
}

function readHere(bytes: Uint8Array | null, keep: Keeping): Said {
  const fields = bodyFields(bytes)
  const facts = requestFacts(fields)
  // What is not kept must not stay in memory for as long as the answer streams.
  if (keep === null) return { facts, tail: noTail }
  const conversation = conversationOf(fields)
  return { facts, tail: (before) => ({ ...noTail(), messages: conversation.slice(before) }) }
}

/** In the worker: the facts, and of what was said as much as a record may hold, redacted. */
export function readTask({ id, bytes, keep }: ReadTask): ReadAnswer {
  const fields = bodyFields(bytes)
  const facts = requestFacts(fields)
  if (keep === null) return { id, facts, tail: null }
  const redact = redactor(keep.redact_rules ?? {})()
  return { id, facts, tail: contentTail(conversationOf(fields), redact, keep.max_content_bytes) }
}

function saidBy({ facts, tail }: ReadAnswer): Said {
  if (tail === null) return { facts, tail: noTail }
  const { messages, from, cut, redactions } = tail
  return {
    facts,
    tail: (before) => ({
      messages: messages.slice(Math.max(0, before - from)),
      cut: cut || before < from,
      redactions,
    }),
  }
}
