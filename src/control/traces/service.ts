import type { Db } from '#kernel/db/tables'
import type { Principal } from '#kernel/http/plane'
import { encodeFrame } from '#kernel/http/sse'
import type { Streamed } from '../runs/answer'
import type { FrameSource } from '../runs/frame-log'
import type { RunService } from '../runs/service'
import type { NodeIo } from './schema'
import { type StoredSpan, traceStore } from './store'
import { storedStream } from './stored-stream'
import type { TraceWriter } from './writer'

interface Deps {
  db: Db
  writer: TraceWriter
  runs: Pick<RunService, 'visible' | 'running' | 'keepaliveMs'>
}

/** What stands in the place of what was hidden; a value with it is not the one that there was. */
const REDACTED = '[redacted]'

export interface RecordedNode {
  status: 'running' | 'ok' | 'err' | 'skipped'
  outputs: Record<string, unknown> | null
}

export type TraceService = ReturnType<typeof traceService>

/** Reads of traces. Whoever may see a run may see its trace; every other run does not exist. */
export function traceService({ db, writer, runs }: Deps) {
  const store = traceStore(db)

  /** What is still on its way is written first: who saw a run end sees its spans closed. */
  async function spansOf(runId: string) {
    await writer.flush()
    return store.spansOf(runId)
  }

  return {
    async trace(principal: Principal, runId: string) {
      const { status } = await runs.visible(principal, runId)
      return { runId, status, spans: await spansOf(runId) }
    },

    /** The overlay of a run that goes on, from its first span; of any other, only that it is over. */
    async live(principal: Principal, runId: string): Promise<Streamed> {
      const { status, runtime } = await runs.visible(principal, runId)
      const isEnded = async () => isOver((await runs.visible(principal, runId)).status)
      const run = runs.running(runId)
      const isFollowed = runtime === 'durable' && !isOver(status)
      const stored = { spans: async () => (await spansOf(runId)).map(exact), isEnded }
      const source: FrameSource = run
        ? (signal) => run.trace.frames.after(0, signal)
        : isFollowed
          ? (signal) => storedStream(stored, { runId }, signal)
          : async function* () {
              yield encodeFrame({ event: 'done', data: { runId, status } })
            }
      return { source, keepaliveMs: runs.keepaliveMs }
    },

    /** For a rerun: how each node of a run ended, and what it put out where that was kept as it was. */
    async recordedNodes(runId: string): Promise<Map<string, RecordedNode>> {
      await writer.flush()
      const rows = await store.nodesOf(runId)
      return new Map(
        rows.map(({ node_id, status, outputs, truncated }) => {
          const isWhole = outputs !== null && truncated === 0 && !outputs.includes(REDACTED)
          return [node_id!, { status, outputs: isWhole ? JSON.parse(outputs) : null }]
        }),
      )
    },

    async nodeIo(principal: Principal, runId: string, nodeId: string): Promise<NodeIo> {
      const { capture_level } = await runs.visible(principal, runId)
      await writer.flush()
      const row = await store.ioOf(runId, nodeId)
      const level = row?.capture_level ?? capture_level
      return {
        run_id: runId,
        node_id: nodeId,
        capture_level: level,
        inputs: parsed(row?.inputs),
        outputs: parsed(row?.outputs),
        bytes_in: row?.bytes_in ?? null,
        bytes_out: row?.bytes_out ?? null,
        truncated: row?.truncated === 1,
        reason: reasonOf(level, row !== undefined),
      }
    },
  }
}

/** As the overlay has it: numbers and objects, where a row has text. */
const exact = ({ start_ns, end_ns, attributes, ...rest }: StoredSpan) => ({
  ...rest,
  start_ns: BigInt(start_ns!),
  end_ns: end_ns === null ? null : BigInt(end_ns),
  attributes: JSON.parse(attributes),
})

const isOver = (status: string): boolean => status === 'completed' || status === 'failed'

const parsed = (json: string | null | undefined) => (json ? JSON.parse(json) : null)

/** Why a reader finds no payloads; a gated state is an answer, never an error. */
function reasonOf(level: NodeIo['capture_level'], isRecorded: boolean): string | null {
  if (level === 'off') return 'capture disabled'
  if (!isRecorded) return 'no I/O captured'
  return level === 'metadata' ? 'sizes only' : null
}
