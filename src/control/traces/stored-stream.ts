import { setTimeout as sleep } from 'node:timers/promises'
import { encodeFrame } from '#kernel/http/sse'
import { exactText } from './exact-json'

/** How late a span is told of; a run may be at work in any process. */
const POLL_MS = 500

interface StoredSpan {
  id: string
  status: string
  run_id: string
  trace_id: string
  seq: number
  bytes_in: number | null
  bytes_out: number | null
  start_ns: bigint
  end_ns: bigint | null
}

interface Source {
  spans: () => Promise<StoredSpan[]>
  isEnded: () => Promise<boolean>
}

/**
 * The live overlay of a run that outlives its process, from what is stored: it goes on while the run waits for a person,
 * and while it has no owner. `data` of the end is the caller's.
 */
export async function* storedStream(
  { spans, isEnded }: Source,
  end: unknown,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const told = new Map<string, string>()
  while (!signal.aborted) {
    // Asked before the spans are read: those of a run that has ended are all there.
    const isLast = await isEnded()
    for (const span of await spans()) {
      const before = told.get(span.id)
      if (before === span.status) continue
      if (before === undefined) yield frame('span.open', { ...span, status: 'running', end_ns: null })
      if (span.status !== 'running') yield frame('span.close', span)
      told.set(span.id, span.status)
    }
    if (isLast) break
    await sleep(POLL_MS, undefined, { signal }).catch(() => {})
  }
  yield encodeFrame({ event: 'done', data: end })
}

function frame(event: string, { run_id, trace_id, seq, bytes_in, bytes_out, ...shown }: StoredSpan): string {
  return encodeFrame({ event, data: exactText(shown) })
}
