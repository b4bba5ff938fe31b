import { newId } from '#kernel/ids'
import type { Logger } from '#kernel/log'
import type { Forwarded, Observer } from '../relay'
import { tokensOf } from './answer'
import { AnswerWatch } from './answer-watch'
import { type ClientFacts, clientFacts } from './client'
import { contentOf } from './content'
import { sessionMemory } from './memory'
import { projectOf } from './project'
import { bodyReader, type Said } from './reading'
import { type Ended, type GatewayConfig, type Project, type RequestRecord, short } from './record'
import { type RecordRedactor, redactor } from './redact'
import { turnKeyOf } from './request-facts'

interface Deps {
  config: () => GatewayConfig | null
  machineKey: string
  /** Writes a record down; `keepsContent` while it has room for what was said. */
  queue: { add(record: RequestRecord): void; readonly keepsContent: boolean }
  log: Logger
  now: () => number
}

/** One request on its way into a record. */
interface Seen extends Omit<Forwarded, 'body'> {
  at: number
  config: GatewayConfig
  redact: RecordRedactor
  full: boolean
  bytes: number
  answer: AnswerWatch
}

/** Where in whose work a request belongs. */
interface Whose {
  client: ClientFacts
  turnKey: string | null
  attempt: number
  /** Messages that the session's request before had. */
  before: number
  project: Project | null
}

type Told = Said & Whose

/** Makes one record of each request, beside the stream and never in its way (design C3, C5). */
export function recorder({ config, machineKey, queue, log, now }: Deps) {
  const memory = sessionMemory()
  const bodies = bodyReader(log)
  /** Records that wait for the reading of a large body. */
  const unwritten = new Set<Promise<void>>()
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

  /** Whatever goes wrong in reading and writing stays here. */
  function safely(work: () => void) {
    try {
      work()
    } catch (error) {
      log.warn({ err: error }, 'an answer could not be read for its record')
    }
  }

  function observe(seen: Seen, body: Uint8Array | null): Observer {
    const { answer } = seen
    let unread = body
    let told: Told | Promise<Told> | null = null
    let ended = false
    const tell = () => {
      told ??= toldBy(seen, unread)
      // It need not be held while the answer streams.
      unread = null
      return told
    }
    return {
      head(response) {
        answer.head(response)
        // After the first byte is on its way; an answer that comes whole is over in a moment anyway.
        if (answer.streams) setImmediate(() => safely(tell))
      },
      chunk: (bytes) => safely(() => answer.chunk(bytes)),
      end(how) {
        if (ended) return
        ended = true
        safely(() => answer.end())
        const totalMs = answer.since()
        const write = (what: Told) => safely(() => queue.add(recordOf(seen, what, how, totalMs)))
        safely(() => {
          const what = tell()
          if (what instanceof Promise) afterwards(what.then(write))
          else write(what)
        })
      },
    }
  }

  function afterwards(writing: Promise<void>) {
    const written: Promise<void> = writing.finally(() => unwritten.delete(written))
    unwritten.add(written)
  }

  /** What a request says of itself; in the order in which requests were answered, for turns are counted by it. */
  function toldBy(seen: Seen, body: Uint8Array | null): Told | Promise<Told> {
    const said = bodies.read(body, seen.full ? seen.config : null)
    return said instanceof Promise ? said.then((it) => withPlace(seen, it)) : withPlace(seen, said)
  }

  function withPlace({ request, config, redact }: Seen, { facts, tail }: Said): Told {
    const client = clientFacts(request.headers, facts, machineKey)
    const { session_id, agent_id } = client
    const turnKey = turnKeyOf(session_id, agent_id, facts.messages, facts.lastSaid)
    const attempt = memory.attemptOf(turnKey)
    const before = memory.messagesBefore(session_id, agent_id, facts.messages, attempt)
    const found = projectOf(request.headers, facts.directory, config.project_attribution)
    const project = found && (redact.value(found) as Project)
    return { facts, tail, client, turnKey, attempt, before, project }
  }

  function recordOf(
    seen: Seen,
    { facts, tail, client, turnKey, attempt, before, project }: Told,
    how: Exclude<Ended, 'stream_error'>,
    totalMs: number,
  ): RequestRecord {
    const { at, config, target, caller, redact, full, answer } = seen
    const { response, facts: answered } = answer
    const streamFailed = answered.errorType !== null && response !== null && response.status < 400
    const ended = how === 'complete' && streamFailed ? 'stream_error' : how
    const record: RequestRecord = {
      v: 1,
      type: 'request',
      id: newId('gateway_request', at),
      config_version: config.config_version,
      developer_id: caller.developerId,
      key_id: caller.keyId,
      billing: caller.billing,
      device: client.device,
      client: client.client,
      client_version: client.client_version,
      entrypoint: client.entrypoint,
      session_id: client.session_id,
      session_source: client.session_source,
      agent_id: client.agent_id,
      parent_agent_id: client.parent_agent_id,
      turn_key: turnKey,
      attempt,
      project,
      request: {
        protocol: target.provider,
        kind: target.kind,
        // Never the query: credentials have been seen there.
        path: redact.text(target.path.slice(0, 200)),
        model_requested: facts.model && redact.text(facts.model),
        stream: facts.stream,
        messages: facts.messages,
        tools_offered: facts.toolsOffered,
        tool_results: facts.toolResults,
        effort: facts.effort,
        req_bytes: seen.bytes,
      },
      response: {
        status: response?.status ?? 0,
        model: answered.model,
        upstream_request_id: upstreamId(response),
        stop_reason: answered.stopReason,
        tools_used: answered.tools,
        res_bytes: answer.bytes,
        chunks: answer.chunks,
        ended,
        error_type: answered.errorType,
      },
      tokens: tokensOf(answered, target.provider, ended !== 'complete'),
      time: { at, connect_ms: null, ttfb_ms: answer.ttfbMs, ttft_ms: answer.ttftMs, total_ms: totalMs },
    }
    if (answer.unread) record.response.parse_error = true
    if (full) record.content = contentOf(tail(before), answered.blocks, redact, config.max_content_bytes)
    return record
  }

  return {
    get recording() {
      return active() !== null
    },

    /** Looks on at one request; null where nothing is to be recorded. */
    begin(forwarded: Forwarded): Observer | null {
      const current = active()
      if (!current) return null
      const { request, target, headers, body, caller } = forwarded
      const full = current.record_level === 'full' && queue.keepsContent && target.kind === 'generate'
      const seen: Seen = {
        request,
        target,
        headers,
        caller,
        at: now(),
        config: current,
        redact: redacting(current),
        full,
        bytes: body?.byteLength ?? 0,
        answer: new AnswerWatch(target, full),
      }
      return observe(seen, body)
    },

    /** Writes what still waits; asked once, when no request is open any more. */
    async finish() {
      await Promise.all(unwritten)
      bodies.stop()
    },
  }
}

const upstreamId = (response: Response | null): string | null =>
  response === null
    ? null
    : (short(response.headers.get('request-id')) ?? short(response.headers.get('x-request-id')))
