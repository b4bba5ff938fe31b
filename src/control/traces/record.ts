import type { Attributes, RunEvent, SpanRef } from '#graph/events'
import { newId } from '#kernel/ids'
import { type FrameLog, frameLog } from '../runs/frame-log'
import type { Outcome } from '../runs/live'
import { bytesOf, type CapturePolicy, capped, type Values } from './captured'
import { exactText } from './exact-json'
import { spanId, spanKey, traceId } from './ids'
import { redactor } from './redact'
import type { IoRecord, SpanRecord } from './store'

const NS_PER_MS = 1_000_000
/** Stands for the run itself in the ids of spans (`ids.ts`). */
const ROOT = '_root'
/** A failure's message is for a person; the longest that is kept of it. */
const MAX_ERROR_CHARS = 4_000

export interface RunTrace {
  /** The live overlay: `span.open`, `span.close`, and `done` at the end. */
  frames: FrameLog
  on(event: RunEvent): void
  /** The time from `since` until now in which the run waited for somebody to take it, the `count`-th such time. */
  waited(since: number, count: number): void
  end(outcome: Outcome): void
}

/** Where finished pieces of a trace go; both return at once. */
export interface TraceSink {
  span(record: SpanRecord): void
  io(record: IoRecord): void
}

export interface TracedRun {
  runId: string
  /** Of the graph's document: quotas count the tokens of all its runs. */
  agentId?: string | null
  /** The document was sent along, so that the agent of its id has no say in how long things are kept. */
  isInline?: boolean
  capture: CapturePolicy
}
/** Where a span stands that is not simply the run's next one. */
type Standing = Pick<Extract<RunEvent, { type: 'span.open' }>, 'order' | 'within' | 'agentId'>

interface Deps {
  sink: TraceSink
  now: () => number
  executorId: string
  workerHost: string
}

/** Turns a run's events into spans and node I/O: told to the live overlay, and handed to the writer. */
export function runTrace(
  { sink, now, executorId, workerHost }: Deps,
  { runId, agentId = null, isInline = false, capture }: TracedRun,
): RunTrace {
  const frames = frameLog()
  const running = new Map<string, { ref: SpanRef | null; record: SpanRecord }>()
  const rootId = spanId(spanKey(runId, null))
  const trace = traceId(runId)
  const clock = nanosecondClock(now)
  const hide = capture.redact ? redactor(capture.redact) : null
  let seq = 0

  function draft(
    ref: SpanRef | null,
    nodeType: string | null,
    kind: string | null,
    attributes: Attributes,
    { order, within, agentId: childId }: Standing,
  ): SpanRecord {
    const id = spanKey(runId, ref)
    return {
      id,
      run_id: runId,
      trace_id: trace,
      span_id: spanId(id),
      parent_span_id: parentOf(ref, within),
      node_id: ref?.node ?? null,
      node_type: nodeType,
      kind,
      name: nameOf(runId, ref),
      phase: ref?.phase ?? null,
      branch_index: ref?.branch ?? null,
      status: 'running',
      start_ns: clock(),
      end_ns: null,
      attributes,
      error: null,
      executor_id: executorId,
      worker_host: workerHost,
      seq: order ?? seq++,
      bytes_in: null,
      bytes_out: null,
      agent_id: childId ?? agentId,
      total_tokens: null,
      created_at: now(),
    }
  }

  function open(
    ref: SpanRef | null,
    nodeType: string | null,
    kind: string | null,
    attributes: Attributes,
    standing: Standing = {},
  ) {
    const record = draft(ref, nodeType, kind, attributes, standing)
    running.set(record.id, { ref, record })
    sink.span(record)
    // Most traces are never followed live.
    frames.push('span.open', () => exactText(ref ? overlay(record) : rootOpening(record)))
  }

  function parentOf(ref: SpanRef | null, within: SpanRef | undefined): string | null {
    if (!ref) return null
    if (within) return spanId(spanKey(runId, within))
    return ref.phase === undefined ? rootId : spanId(spanKey(runId, { node: ref.node }))
  }

  function close(
    ref: SpanRef | null,
    status: SpanRecord['status'],
    error: string | null = null,
    attributes: Attributes = {},
  ) {
    const id = spanKey(runId, ref)
    const opened = running.get(id)?.record
    if (!opened) return
    running.delete(id)
    const record = {
      ...opened,
      status,
      error: error === null ? null : (hide?.text(error) ?? error).slice(0, MAX_ERROR_CHARS),
      // A branch that was never taken took no time.
      end_ns: status === 'skipped' ? opened.start_ns : clock(),
      attributes: { ...opened.attributes, ...attributes },
      total_tokens: ref?.phase === undefined ? null : tokensOf(attributes),
    }
    sink.span(record)
    frames.push('span.close', () => exactText(overlay(record)))
  }

  /** Comes while the node's span is open, which then carries the sizes too. `off` keeps not even those. */
  function recordIo({ node, inputs, outputs }: Extract<RunEvent, { type: 'node.io' }>) {
    if (capture.level === 'off') return
    const sizes = { bytes_in: bytesOf(inputs), bytes_out: bytesOf(outputs) }
    const opened = running.get(spanKey(runId, { node }))
    if (opened) {
      const attributes = {
        ...opened.record.attributes,
        'service.bytes_in': sizes.bytes_in,
        'service.bytes_out': sizes.bytes_out,
      }
      opened.record = { ...opened.record, ...sizes, attributes }
    }
    const full = capture.level === 'full'
    const keep = (values: Values) => capped(hide ? (hide.value(values) as Values) : values, capture.maxBytes)
    const kept = full ? { in: keep(inputs), out: keep(outputs) } : null
    sink.io({
      id: newId('bare', now()),
      run_id: runId,
      node_id: node,
      agent_id: isInline ? null : agentId,
      span_id: spanId(spanKey(runId, { node })),
      inputs: kept?.in.json ?? null,
      outputs: kept?.out.json ?? null,
      ...sizes,
      truncated: kept?.in.truncated || kept?.out.truncated ? 1 : 0,
      capture_level: capture.level,
      created_at: now(),
    })
  }

  open(null, null, null, {})

  return {
    frames,

    on(event) {
      switch (event.type) {
        case 'span.open':
          return open(event.span, event.nodeType, event.kind, event.attributes ?? {}, event)
        case 'span.close':
          return close(event.span, event.status, event.error, event.attributes)
        case 'node.io':
          return recordIo(event)
        case 'streaming':
        case 'delta':
        case 'reasoning':
        case 'tool_call':
          return
      }
    },

    waited(since, count) {
      const ref = { node: ROOT, phase: count === 0 ? 'queue_wait' : `queue_wait#${count}` }
      const record = draft(ref, null, null, {}, {})
      const from = BigInt(since) * BigInt(NS_PER_MS)
      const start_ns = from < record.start_ns ? from : record.start_ns
      const span = { ...record, name: 'queue.wait', node_id: null, parent_span_id: rootId, start_ns }
      sink.span({ ...span, status: 'ok', end_ns: record.start_ns })
    },

    /** What the work left open ends with the run, children before their parents. */
    end(outcome) {
      const isFailed = outcome.status === 'failed'
      for (const { ref } of [...running.values()].reverse()) {
        close(ref, isFailed ? 'err' : 'ok', isFailed ? outcome.error.message : null)
      }
      frames.push('done', JSON.stringify({ runId }))
      frames.end()
    },
  }
}

/** Phases may be numbered to tell their ids apart; their name is without the number. */
function nameOf(runId: string, ref: SpanRef | null): string {
  if (!ref) return runId
  if (ref.phase !== undefined) return ref.phase.replace(/#\d+(\.\d+)?$/, '')
  return ref.branch === undefined ? ref.node : `${ref.node}#${ref.branch}`
}

/** Starts at the wall clock and then never goes backwards; finer than the milliseconds that the wall clock gives. */
function nanosecondClock(now: () => number): () => bigint {
  const start = BigInt(now()) * BigInt(NS_PER_MS)
  const origin = performance.now()
  return () => start + BigInt(Math.round((performance.now() - origin) * NS_PER_MS))
}

/** Counted at the generation alone: a node may repeat its figures. */
function tokensOf({ 'gen_ai.usage.total_tokens': tokens }: Attributes): number | null {
  return typeof tokens === 'number' && Number.isFinite(tokens) ? Math.round(tokens) : null
}

function overlay(record: SpanRecord) {
  const { run_id, trace_id, seq, bytes_in, bytes_out, agent_id, total_tokens, created_at, ...shown } = record
  return shown
}

const rootOpening = ({ id, span_id, parent_span_id, name, status, start_ns }: SpanRecord) => ({
  id,
  span_id,
  parent_span_id,
  name,
  status,
  start_ns,
})
