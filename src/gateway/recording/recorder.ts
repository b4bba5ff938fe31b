import { newId } from '#kernel/ids'
import { tryParse } from '#kernel/json'
import type { Logger } from '#kernel/log'
import type { Forwarded, Observer } from '../relay'
import type { Target } from '../target'
import { type AnswerReader, fieldsOf, noFacts, tokensOf } from './answer'
import { anthropicAnswer } from './anthropic-answer'
import { clientFacts } from './client'
import { contentOf } from './content'
import { sessionMemory } from './memory'
import { chatAnswer, responsesAnswer } from './openai-answer'
import { projectOf } from './project'
import { type Ended, type GatewayConfig, type RequestRecord, short } from './record'
import { type RecordRedactor, redactor } from './redact'
import { bodyFields, type RequestFacts, requestFacts, turnKeyOf } from './request-facts'
import { sseParser } from './sse'

/** A larger body is not looked into: reading it would hold up every stream. */
const MAX_PARSED_BYTES = 8 * 1024 * 1024

interface Deps {
  config: () => GatewayConfig | null
  machineKey: string
  /** Writes a record down; `maxLevel` is what the queue still has room for. */
  queue: { add(record: RequestRecord): void; readonly keepsContent: boolean }
  log: Logger
  now: () => number
}

/** Makes one record of each request, beside the stream and never in its way (design C3, C5). */
export function recorder({ config, machineKey, queue, log, now }: Deps) {
  const memory = sessionMemory()
  let redactorOf: { version: number; make: () => RecordRedactor } | null = null

  function redacting(current: GatewayConfig): RecordRedactor {
    if (redactorOf?.version !== current.config_version)
      redactorOf = { version: current.config_version, make: redactor(current.redact_rules ?? {}) }
    return redactorOf.make()
  }

  /** The saved configuration, while it asks for records. */
  function active(): GatewayConfig | null {
    const current = config()
    return current?.observer && current.record_level !== 'off' ? current : null
  }

  return {
    get recording() {
      return active() !== null
    },

    /** Looks on at one request; null where nothing is to be recorded. */
    begin(forwarded: Forwarded): Observer | null {
      const current = active()
      if (!current) return null
      const redact = redacting(current)
      const watched = watch(forwarded, current, redact, queue.keepsContent)
      let ended = false
      /** Whatever goes wrong here stays here. */
      const safely = (work: () => void) => {
        try {
          work()
        } catch (error) {
          watched.failed()
          log.warn({ err: error }, 'an answer could not be read for its record')
        }
      }
      return {
        head: (response) => watched.head(response),
        chunk(bytes) {
          watched.count(bytes)
          if (!watched.broken) safely(() => watched.read(bytes))
        },
        end(how) {
          if (ended) return
          ended = true
          if (!watched.broken) safely(() => watched.finish())
          safely(() => queue.add(watched.record(how)))
        },
      }
    },
  }

  function watch(
    { request, target, body, caller }: Forwarded,
    current: GatewayConfig,
    redact: RecordRedactor,
    keepsContent: boolean,
  ) {
    const full = current.record_level === 'full' && keepsContent && target.kind === 'generate'
    const at = now()
    const startedAt = performance.now()
    const since = () => Math.round((performance.now() - startedAt) * 10) / 10
    const reader = readerOf(target, full)
    let unread = body
    let told: ReturnType<typeof tellOf> | null = null
    let response: Response | null = null
    let ttfbMs: number | null = null
    let ttftMs: number | null = null
    let bytes = 0
    let chunks = 0
    let take: ReturnType<typeof taker> | null = null

    const watched = {
      broken: false,

      head(arrived: Response) {
        ttfbMs = since()
        response = arrived
        take = reader ? taker(arrived, reader, () => (ttftMs ??= since())) : null
        watched.broken = take === null
        // After the first byte is on its way; and the body need not be held while the answer streams.
        setImmediate(tell)
      },

      count(part: Uint8Array) {
        bytes += part.byteLength
        chunks++
      },

      read: (part: Uint8Array) => take?.push(part),
      finish: () => take?.end(),

      failed() {
        watched.broken = true
        take?.drop()
      },

      record(how: Exclude<Ended, 'stream_error'>): RequestRecord {
        const { who, facts, before } = tell()
        const answered = reader?.facts ?? noFacts()
        const streamFailed = answered.errorType !== null && response !== null && response.status < 400
        const ended = how === 'complete' && streamFailed ? 'stream_error' : how
        return {
          v: 1,
          type: 'request',
          id: newId('gateway_request', at),
          config_version: current.config_version,
          developer_id: caller.developerId,
          key_id: caller.keyId,
          billing: caller.billing,
          ...who,
          request: {
            protocol: target.provider,
            kind: target.kind,
            path: safePath(target, redact),
            model_requested: facts.model,
            stream: facts.stream,
            messages: facts.conversation.length,
            tools_offered: facts.toolsOffered,
            tool_results: facts.toolResults,
            effort: facts.effort,
            req_bytes: body?.byteLength ?? 0,
          },
          response: {
            status: response?.status ?? 0,
            model: answered.model,
            upstream_request_id: upstreamId(response),
            stop_reason: answered.stopReason,
            tools_used: answered.tools,
            res_bytes: bytes,
            chunks,
            ended,
            error_type: answered.errorType,
            ...(reader && watched.broken ? { parse_error: true as const } : {}),
          },
          tokens: tokensOf(answered, target.provider, ended !== 'complete'),
          time: { at, connect_ms: null, ttfb_ms: ttfbMs, ttft_ms: ttftMs, total_ms: since() },
          ...(full
            ? {
                content: contentOf(
                  { request_tail: facts.conversation.slice(before), response: answered.blocks },
                  redact,
                  current.max_content_bytes,
                ),
              }
            : {}),
        }
      },
    }

    function tell() {
      told ??= tellOf(request.headers, unread, current, redact)
      unread = null
      return told
    }
    return watched
  }

  /** What a request says of itself; read once, when there is time. */
  function tellOf(headers: Headers, body: Uint8Array | null, current: GatewayConfig, redact: RecordRedactor) {
    const fields = body && body.byteLength <= MAX_PARSED_BYTES ? bodyFields(body) : {}
    const facts: RequestFacts = requestFacts(fields)
    const client = clientFacts(headers, fields, machineKey)
    const turnKey = turnKeyOf(client.session_id, client.agent_id, facts.conversation)
    const attempt = memory.attemptOf(turnKey)
    const before = memory.messagesBefore(
      client.session_id,
      client.agent_id,
      facts.conversation.length,
      attempt,
    )
    const project = projectOf(headers, fields, current.project_attribution)
    const who = {
      ...client,
      turn_key: turnKey,
      attempt,
      project: project && (redact.value(project) as typeof project),
    }
    return { who, facts: { ...facts, model: facts.model && redact.text(facts.model) }, before }
  }
}

function readerOf({ kind, provider, path }: Target, full: boolean): AnswerReader | null {
  if (kind !== 'generate') return null
  if (provider === 'anthropic') return anthropicAnswer(full)
  return path.startsWith('/v1/chat/') ? chatAnswer(full) : responsesAnswer(full)
}

/** Takes an answer's bytes as what its head says they are; null for what cannot be read. */
function taker(response: Response, reader: AnswerReader, output: () => void) {
  const encoding = response.headers.get('content-encoding')
  if (encoding !== null && encoding !== 'identity') return null
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream')) {
    const parser = sseParser((name, data) => {
      if (reader.event(name, data)) output()
    })
    return { push: parser.push, end: parser.end, drop() {} }
  }
  let parts: Uint8Array[] = []
  let bytes = 0
  return {
    push(part: Uint8Array) {
      bytes += part.byteLength
      if (bytes > MAX_PARSED_BYTES) throw new Error('an answer too large to read')
      parts.push(part)
    },
    end() {
      const value = tryParse(Buffer.concat(parts).toString())
      parts = []
      reader.json(fieldsOf(value))
    },
    drop() {
      parts = []
    },
  }
}

/** Never the query: credentials have been seen there. */
const safePath = ({ path }: Target, redact: RecordRedactor): string => redact.text(path.slice(0, 200))

const upstreamId = (response: Response | null): string | null =>
  short(response?.headers.get('request-id')) ?? short(response?.headers.get('x-request-id'))
