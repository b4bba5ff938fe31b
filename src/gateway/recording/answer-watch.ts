import { tryParse } from '#kernel/json'
import type { Target } from '../target'
import { type AnswerFacts, type AnswerReader, fieldsOf, noFacts } from './answer'
import { anthropicAnswer } from './anthropic-answer'
import { chatAnswer, responsesAnswer } from './openai-answer'
import { sseParser } from './sse'

/** A larger answer that comes whole is not looked into: reading it would hold up every stream. */
const MAX_PARSED_BYTES = 8 * 1024 * 1024

/** Takes an answer's bytes as what its head says they are. */
interface Taker {
  push(part: Uint8Array): void
  end(): void
}

/** Measures an answer as it passes, and reads it as far as its record needs. Made for each request, so it is a class. */
export class AnswerWatch {
  response: Response | null = null
  bytes = 0
  chunks = 0
  ttfbMs: number | null = null
  ttftMs: number | null = null
  private readonly startedAt = performance.now()
  private readonly reader: AnswerReader | null
  private taker: Taker | null = null
  private broken = false

  constructor(target: Target, full: boolean) {
    this.reader = readerOf(target, full)
  }

  /** Since the request came, in milliseconds. */
  since(): number {
    return Math.round((performance.now() - this.startedAt) * 10) / 10
  }

  head(response: Response) {
    this.ttfbMs = this.since()
    this.response = response
    if (this.reader) this.taker = takerOf(response, this.reader, this)
    this.broken = this.taker === null
  }

  /** @throws what keeps the answer from being read; nothing of it is read from then on */
  chunk(part: Uint8Array) {
    this.bytes += part.byteLength
    this.chunks++
    if (this.broken) return
    try {
      this.taker!.push(part)
    } catch (error) {
      this.giveUp()
      throw error
    }
  }

  /** @throws as above */
  end() {
    if (this.broken) return
    try {
      this.taker?.end()
    } catch (error) {
      this.giveUp()
      throw error
    }
  }

  /** The first piece of output passed. */
  output() {
    this.ttftMs ??= this.since()
  }

  get streams(): boolean {
    return !(this.taker instanceof WholeAnswer)
  }

  get facts(): AnswerFacts {
    return this.reader?.facts ?? noFacts()
  }

  /** It should have been read, and could not be. */
  get unread(): boolean {
    return this.reader !== null && this.broken
  }

  private giveUp() {
    this.broken = true
    this.taker = null
  }
}

function readerOf({ kind, provider, path }: Target, full: boolean): AnswerReader | null {
  if (kind !== 'generate') return null
  if (provider === 'anthropic') return anthropicAnswer(full)
  return path.startsWith('/v1/chat/') ? chatAnswer(full) : responsesAnswer(full)
}

/** Null for what cannot be read. */
function takerOf({ headers }: Response, reader: AnswerReader, watch: AnswerWatch): Taker | null {
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding !== 'identity') return null
  if (!headers.get('content-type')?.startsWith('text/event-stream')) return new WholeAnswer(reader)
  return sseParser((name, data) => {
    if (reader.event(name, data)) watch.output()
  })
}

class WholeAnswer implements Taker {
  private readonly parts: Uint8Array[] = []
  private bytes = 0

  constructor(private readonly reader: AnswerReader) {}

  push(part: Uint8Array) {
    this.bytes += part.byteLength
    if (this.bytes > MAX_PARSED_BYTES) throw new Error('an answer too large to read')
    this.parts.push(part)
  }

  end() {
    const [first = new Uint8Array()] = this.parts
    const whole = this.parts.length === 1 ? first : Buffer.concat(this.parts)
    this.reader.json(fieldsOf(tryParse(decoder.decode(whole))))
  }
}

const decoder = new TextDecoder()
