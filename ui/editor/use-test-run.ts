import { useQueries } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { contentHash } from '../../src/graph/hash'
import type { AgentDocument } from '../../src/graph/ir'
import { ApiError, control, ok, openEventStream } from '../api'
import type { NodeRun } from '../canvas/facts'
import { type Outputs, preview } from '../canvas/references'
import {
  type Answer,
  isOver,
  newAnswer,
  type RunFrame,
  withFailure,
  withFrame,
  withRecord,
} from '../chat/answer'
import { cancelRun } from '../chat/data'
import { follow, type Source } from '../chat/follow'
import { useTrace } from '../trace/data'
import type { Span } from '../trace/span'

/** One test run: what it was of, and what is known of its answer so far. */
export interface TestRun {
  /** Of the document that ran; runs can go on from a node only as long as it is still that. */
  hash: string
  answer: Answer
}

export interface TestRuns {
  run: TestRun | null
  start: (document: AgentDocument, input: unknown) => void
  /** Does the last run again from a node on, with what came before it taken over. */
  again: (document: AgentDocument, fromNode: string) => void
  stop: () => void
  clear: () => void
}

/** Runs the live document. Only one run at a time is followed; it ends with the screen. */
export function useTestRuns(): TestRuns {
  const [run, setRun] = useState<TestRun | null>(null)
  const leaving = useRef<AbortController | null>(null)
  useEffect(() => () => leaving.current?.abort(), [])

  async function listen(document: AgentDocument, path: string, body: Record<string, unknown>) {
    leaving.current?.abort()
    const mine = new AbortController()
    leaving.current = mine
    const { signal } = mine
    const hash = contentHash(document)
    for await (const answer of answers(sourceOf(path, body), signal)) {
      if (signal.aborted) return
      setRun({ hash, answer })
    }
  }

  return {
    run,
    start: (document, input) => void listen(document, '/graphs/runs', { ir: document, input }),
    again(document, fromNode) {
      const last = run?.answer.runId
      if (last) void listen(document, `/runs/${encodeURIComponent(last)}/rerun`, { from_node: fromNode })
    },
    stop() {
      const id = run?.answer.runId
      if (id && !isOver(run.answer)) void cancelRun(id)
    },
    clear() {
      leaving.current?.abort()
      setRun(null)
    },
  }
}

/** The answer of a run as it grows; what goes wrong is part of it. */
async function* answers(source: Required<Source>, signal: AbortSignal): AsyncGenerator<Answer> {
  let answer = newAnswer(Date.now())
  yield answer
  try {
    for await (const heard of follow(source, { runId: null, lastEventId: null }, signal)) {
      // What is tried out here streams; only durable runs begin without.
      if (heard.kind !== 'frame' && heard.kind !== 'record') continue
      const now = Date.now()
      answer =
        heard.kind === 'frame' ? withFrame(answer, heard.frame, now) : withRecord(answer, heard.run, now)
      yield answer
    }
    // The record has the output itself: what models streamed on the way need not be it.
    if (answer.phase !== 'completed' || answer.runId === null) return
    const record = await source.record(answer.runId, signal)
    yield { ...withRecord(answer, record, Date.now()), text: record.output ?? answer.text }
  } catch (error) {
    if (signal.aborted) return
    const { runId = null, code } = error instanceof ApiError ? error : { code: undefined }
    yield withFailure(
      { ...answer, runId: runId ?? answer.runId },
      { code, message: (error as Error).message },
      Date.now(),
    )
  }
}

function sourceOf(path: string, body: Record<string, unknown>): Required<Source> {
  const runPath = (runId: string) => `/runs/${encodeURIComponent(runId)}`
  return {
    async start(signal) {
      const { events } = await openEventStream(path, {
        method: 'POST',
        body: { ...body, stream: true },
        signal,
      })
      return events as AsyncIterable<RunFrame>
    },
    async attach(runId, lastEventId, signal) {
      const headers: Record<string, string> = lastEventId === null ? {} : { 'last-event-id': lastEventId }
      const { events } = await openEventStream(`${runPath(runId)}/stream`, { headers, signal })
      return events as AsyncIterable<RunFrame>
    },
    record: (runId, signal) => ok(control.runs({ id: runId }).get({ fetch: { signal } })),
    wait: (ms, signal) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, ms)
        signal.addEventListener('abort', () => {
          clearTimeout(timer)
          reject(signal.reason)
        })
      }),
  }
}

/** What a run made of each node. */
export interface RunFacts {
  runs: ReadonlyMap<string, NodeRun>
  outputs: Outputs
}

/** Beyond that, what nodes put out is only fetched for those one looks at. */
const MAX_OUTPUTS = 100
const RETRY_MS = 1_000
const NANOSECONDS_PER_MS = 1_000_000n

/** What is known of the nodes of a run, from its spans and its recorded values, as they come in. */
export function useRunFacts(runId: string): RunFacts {
  const { spans, goingOn } = useTrace(runId)
  const steps = useMemo(
    () => spans.filter(({ node_id, phase }) => node_id !== null && phase === null),
    [spans],
  )
  const done = useMemo(
    () => steps.filter(({ status }) => status === 'ok' || status === 'err').slice(0, MAX_OUTPUTS),
    [steps],
  )
  const recorded = useQueries({
    queries: done.map(({ node_id }) => ({
      queryKey: ['runs', runId, 'output', node_id],
      queryFn: async () =>
        (
          await ok(
            control
              .runs({ id: runId })
              .nodes({ node_id: encodeURIComponent(node_id!) })
              .io.get(),
          )
        ).outputs,
      // Values are written a moment after the span is closed.
      refetchInterval: ({ state }: { state: { data?: unknown } }) =>
        goingOn && state.data === null ? RETRY_MS : (false as const),
    })),
    combine: (results) => results.map(({ data }) => data ?? null),
  })
  return useMemo(() => {
    const outputs = new Map(
      done.flatMap(({ node_id }, index) => {
        const values = recorded[index]
        return values ? [[node_id!, values as Record<string, unknown>] as const] : []
      }),
    )
    const runs = new Map(steps.map((span) => [span.node_id!, nodeRun(span, outputs.get(span.node_id!))]))
    return { runs, outputs }
  }, [steps, done, recorded])
}

const OUTPUT_CHARACTERS = 140

function nodeRun({ status, error, start_ns, end_ns }: Span, outputs?: Record<string, unknown>): NodeRun {
  const { reasoning: _, tool_calls: __, ...ports } = outputs ?? {}
  const [value] = Object.values(ports)
  return {
    status,
    error,
    output: value === undefined || status === 'skipped' ? null : preview(value, OUTPUT_CHARACTERS),
    tookMs: end_ns === null ? null : Number((end_ns - start_ns) / NANOSECONDS_PER_MS),
  }
}
