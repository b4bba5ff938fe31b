import { migrate } from '#kernel/db/migrate'
import { openDatabase } from '#kernel/db/open'
import { durably } from '#kernel/db/portable'
import type { Db } from '#kernel/db/tables'
import { newId } from '#kernel/ids'
import { type IoRecord, type SpanRecord, traceInserts } from '../../src/control/traces/store'
import type { Kind } from './durable-install'
import { RESULT, STEPS } from './durable-rates'
import type { Measured } from './loops'

/** As many as Tycho has connections to Postgres; SQLite has one. */
const CONNECTIONS: Record<Kind, number> = { sqlite: 1, postgres: 10 }

/**
 * The limit: the rows of runs with their trace, a commit where Tycho has to have one (stored, taken, each step, ended)
 * and nothing around them: no queue, no HTTP, nobody who decides what comes next.
 */
export async function runsByHand(url: string, kind: Kind) {
  const database = openDatabase(url)
  const { db } = database
  await migrate(db)
  const trace = traceInserts()

  async function one(samples: number[]) {
    const id = newId()
    await durably(db, (tx) => store(tx, id))
    await durably(db, (tx) => take(tx, id))
    for (let step = 0; step < STEPS; step++) {
      const startedAt = performance.now()
      await durably(db, async (tx) => {
        const row = { run_id: id, key: `s${step}`, output: RESULT, created_at: Date.now() }
        await tx.insertInto('run_steps').values(row).execute()
        await trace.spans(tx, [span(id, `s${step}`)])
        await trace.io(tx, [io(id, `s${step}`)])
      })
      samples.push(performance.now() - startedAt)
    }
    await durably(db, async (tx) => {
      await trace.spans(
        tx,
        ['_root', 'queue.wait', 'in', 'end'].map((node) => span(id, node)),
      )
      await trace.io(
        tx,
        ['in', 'end'].map((node) => io(id, node)),
      )
      await tx
        .updateTable('runs')
        .set({ status: 'completed', output: RESULT, completed_at: Date.now() })
        .where('id', '=', id)
        .execute()
      await tx.deleteFrom('durable_runs').where('run_id', '=', id).execute()
    })
  }

  return {
    async run(runs: number, atOnce: number): Promise<Measured> {
      const samples: number[] = []
      const startedAt = performance.now()
      let left = runs
      const worker = async () => {
        while (left-- > 0) await one(samples)
      }
      await Promise.all(Array.from({ length: Math.min(atOnce, CONNECTIONS[kind]) }, worker))
      return { samples, seconds: (performance.now() - startedAt) / 1000 }
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

async function store(tx: Db, id: string) {
  const at = Date.now()
  await tx
    .insertInto('runs')
    .values({
      id,
      status: 'created',
      model: '',
      runtime: 'durable',
      capture_level: 'full',
      created_at: at,
      updated_at: at,
    })
    .execute()
  const row = { run_id: id, state: 'queued', epoch: 0, wake_at: at, interp_version: 1, start: '{}' } as const
  await tx.insertInto('durable_runs').values(row).execute()
}

async function take(tx: Db, id: string) {
  await tx
    .updateTable('durable_runs')
    .set({ state: 'running', epoch: 1, executor: 'hand' })
    .where('run_id', '=', id)
    .execute()
  await tx
    .updateTable('runs')
    .set({ status: 'streaming', updated_at: Date.now() })
    .where('id', '=', id)
    .execute()
}

const span = (runId: string, node: string): SpanRecord => ({
  id: `${runId}:${node}`,
  run_id: runId,
  trace_id: runId.padEnd(32, '0'),
  span_id: node.padEnd(16, '0'),
  parent_span_id: null,
  node_id: node,
  node_type: 'tool',
  kind: 'process',
  name: node,
  phase: null,
  branch_index: null,
  status: 'ok',
  attributes: { 'service.bytes_in': RESULT.length, 'service.bytes_out': RESULT.length },
  error: null,
  executor_id: 'hand',
  worker_host: 'hand',
  seq: 0,
  bytes_in: RESULT.length,
  bytes_out: RESULT.length,
  agent_id: null,
  total_tokens: null,
  created_at: Date.now(),
  start_ns: 0n,
  end_ns: 1n,
})

const io = (runId: string, node: string): IoRecord => ({
  id: newId(),
  run_id: runId,
  node_id: node,
  agent_id: null,
  span_id: node.padEnd(16, '0'),
  inputs: JSON.stringify({ in: RESULT }),
  outputs: JSON.stringify({ out: RESULT }),
  bytes_in: RESULT.length,
  bytes_out: RESULT.length,
  truncated: 0,
  capture_level: 'full',
  created_at: Date.now(),
})
