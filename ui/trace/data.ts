import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { control, ok, openEventStream, request } from '../api'
import { hear, mergeSpans } from './merge'
import { parseSpan, parseTrace, type Span, type Trace } from './span'

/** The waterfall asks for the persisted trace about once a second while the run goes on (specification, part 8). */
const POLL_MS = 1000
/** A stream that broke is opened again; until then the poll shows what there is. */
const REOPEN_MS = 3000

const traceKey = (runId: string) => ['runs', runId, 'trace'] as const

const isGoingOn = (trace: Trace | undefined) =>
  trace === undefined ||
  (trace.status !== 'completed' && trace.status !== 'failed') ||
  trace.spans.some(({ status }) => status === 'running')

const traceQuery = (runId: string) => ({
  queryKey: traceKey(runId),
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const answer = await request('control', `/runs/${encodeURIComponent(runId)}/trace`, { signal })
    return parseTrace(await answer.text())
  },
})

/** The node that takes a run's input: undefined while nothing is known, null where there is none. */
export const useInputNode = (runId: string) =>
  useQuery({
    ...traceQuery(runId),
    select: ({ spans }) => spans.find(({ node_type }) => node_type === 'input')?.node_id ?? null,
    staleTime: POLL_MS,
  }).data

/** The spans of a run: the persisted trace, overlaid with what the live stream says while it goes on. */
export function useTrace(runId: string) {
  const query = useQuery({
    ...traceQuery(runId),
    refetchInterval: ({ state }) => (state.error || !isGoingOn(state.data) ? false : POLL_MS),
  })
  const goingOn = query.data !== undefined && isGoingOn(query.data)
  const live = useLiveSpans(runId, goingOn)
  const spans = useMemo(() => mergeSpans(query.data?.spans ?? [], live), [query.data, live])
  return { ...query, spans, goingOn }
}

function useLiveSpans(runId: string, listening: boolean): ReadonlyMap<string, Span> {
  const [live, setLive] = useState<ReadonlyMap<string, Span>>(new Map())
  const queries = useQueryClient()
  useEffect(() => {
    if (!listening) return
    const leaving = new AbortController()
    let timer: ReturnType<typeof setTimeout>
    const batch = batched((spans: Span[]) => setLive((known) => hear(known, spans)))
    const listen = async () => {
      try {
        await liveSpans(runId, leaving.signal, batch.add)
        void queries.invalidateQueries({ queryKey: ['runs', runId] })
      } catch {
        // The poll goes on without the stream, so a broken one is no failure to show.
        if (!leaving.signal.aborted) timer = setTimeout(() => void listen(), REOPEN_MS)
      }
    }
    void listen()
    return () => {
      leaving.abort()
      clearTimeout(timer)
      batch.stop()
    }
  }, [runId, listening, queries])
  return live
}

/** Resolves at the stream's `done`. */
async function liveSpans(runId: string, signal: AbortSignal, heard: (span: Span) => void) {
  const { events } = await openEventStream(`/runs/${encodeURIComponent(runId)}/trace/stream`, { signal })
  for await (const { event, data } of events) {
    if (event === 'done') return
    if (event === 'span.open' || event === 'span.close') heard(parseSpan(data))
  }
  throw new Error('stream ended early')
}

/** Hands over once a frame what came in since the last one. */
function batched<T>(flush: (items: T[]) => void) {
  let waiting: T[] = []
  let frame = 0
  return {
    add(item: T) {
      waiting.push(item)
      frame ||= requestAnimationFrame(() => {
        frame = 0
        flush(waiting)
        waiting = []
      })
    },
    stop: () => cancelAnimationFrame(frame),
  }
}

/** What went into a node and came out of it, as far as it was recorded. */
export const useNodeIo = (runId: string, nodeId: string | null, goingOn: boolean) =>
  useQuery({
    queryKey: ['runs', runId, 'io', nodeId],
    enabled: nodeId !== null,
    queryFn: () =>
      ok(
        control
          .runs({ id: runId })
          .nodes({ node_id: encodeURIComponent(nodeId!) })
          .io.get(),
      ),
    refetchInterval: goingOn ? 2 * POLL_MS : false,
  })
