import type { DeleteResult, Insertable, Selectable } from 'kysely'
import { encodeTime } from 'ulid'
import type { Attributes } from '#graph/events'
import { batchInsert } from '#kernel/db/batch-insert'
import { asTextColumn } from '#kernel/db/portable'
import type { Db, Tables } from '#kernel/db/tables'

export type SpanRecord = Omit<Selectable<Tables['spans']>, 'attributes'> & { attributes: Attributes }
/** As it lies there: nanoseconds in digits, attributes as JSON text. */
export type StoredSpan = Awaited<ReturnType<ReturnType<typeof traceStore>['spansOf']>>[number]
export type IoRecord = Insertable<Tables['node_io']>

const SHOWN = [
  'id',
  'run_id',
  'trace_id',
  'span_id',
  'parent_span_id',
  'node_id',
  'node_type',
  'kind',
  'name',
  'phase',
  'branch_index',
  'status',
  'attributes',
  'error',
  'executor_id',
  'worker_host',
  'seq',
  'bytes_in',
  'bytes_out',
] as const

/** The statements that write a trace; kept, because making them anew costs more than running them. */
export const traceInserts = () => {
  const insertSpans = batchInsert<SpanColumns>(SPAN_COLUMNS, (db, rows) =>
    db
      .insertInto('spans')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet((is) => ({
            status: is.ref('excluded.status'),
            end_ns: is.ref('excluded.end_ns'),
            attributes: is.ref('excluded.attributes'),
            error: is.ref('excluded.error'),
            bytes_in: is.ref('excluded.bytes_in'),
            bytes_out: is.ref('excluded.bytes_out'),
            total_tokens: is.ref('excluded.total_tokens'),
          }))
          .where('spans.status', '=', 'running'),
      ),
  )
  return {
    /** The first writer wins, but an open span may still be closed. Each id at most once in `records`. */
    spans: (db: Db, records: SpanRecord[]) =>
      insertSpans(
        db,
        records.map((record) => ({ ...record, attributes: JSON.stringify(record.attributes) })),
      ),

    io: batchInsert<IoRecord>(IO_COLUMNS, (db, rows) =>
      db
        .insertInto('node_io')
        .values(rows)
        .onConflict((conflict) => conflict.columns(['run_id', 'node_id']).doNothing()),
    ),
  }
}

type SpanColumns = Selectable<Tables['spans']>
const SPAN_COLUMNS = [...SHOWN, 'start_ns', 'end_ns', 'agent_id', 'total_tokens', 'created_at'] as const
const IO_COLUMNS = [
  'id',
  'run_id',
  'node_id',
  'agent_id',
  'span_id',
  'inputs',
  'outputs',
  'bytes_in',
  'bytes_out',
  'truncated',
  'capture_level',
  'created_at',
] as const

export const traceStore = (db: Db) => ({
  /** Closes the spans that dead runs left open, and resolves with them. */
  async closeOpen(runIds: string[], error: string, endNs: bigint): Promise<SpanRecord[]> {
    const rows = await db
      .updateTable('spans')
      .set({ status: 'err', error, end_ns: endNs })
      .where('run_id', 'in', runIds)
      .where('status', '=', 'running')
      .returning([...SHOWN, 'agent_id', 'total_tokens', 'created_at'])
      .returning([asTextColumn('start_ns').as('start_ns')])
      .execute()
    return rows.map(({ start_ns, attributes, ...rest }) => ({
      ...rest,
      start_ns: BigInt(start_ns!),
      end_ns: endNs,
      attributes: JSON.parse(attributes),
    }))
  },

  /** Deletes at most `rows` records of before then; resolves with how many there were. */
  async removeIoBefore(time: number, rows: number): Promise<number> {
    const due = db
      .selectFrom('node_io')
      .select('id')
      // Ids begin with the time: they have the index, and the column is exact.
      .where('id', '<', encodeTime(time))
      .where('created_at', '<', time)
      .limit(rows)
    return removed(await db.deleteFrom('node_io').where('id', 'in', due).executeTakeFirst())
  },

  /** The agents whose policy keeps records for a time of its own. */
  async retentions(): Promise<{ agentId: string; seconds: number }[]> {
    const rows = await db
      .selectFrom('io_policies')
      .select(['agent_id', 'io_retention_seconds'])
      .where('io_retention_seconds', 'is not', null)
      .execute()
    return rows.map(({ agent_id, io_retention_seconds }) => ({
      agentId: agent_id,
      seconds: io_retention_seconds ?? 0,
    }))
  },

  /** `removeIoBefore` for the records of one agent. */
  async removeIoOf(agentId: string, time: number, rows: number): Promise<number> {
    const due = db
      .selectFrom('node_io')
      .select('id')
      .where('agent_id', '=', agentId)
      .where('created_at', '<', time)
      .limit(rows)
    return removed(await db.deleteFrom('node_io').where('id', 'in', due).executeTakeFirst())
  },

  spansOf: (runId: string) =>
    db
      .selectFrom('spans')
      .select(SHOWN)
      .select([asTextColumn('start_ns').as('start_ns'), asTextColumn('end_ns').as('end_ns')])
      .where('run_id', '=', runId)
      // What lies within a child run has the place of what is around it.
      .orderBy('seq')
      .orderBy('start_ns')
      .orderBy('id')
      .execute(),

  /** The spans that will not change any more. */
  closedSpans: (runIds: readonly string[]) =>
    db
      .selectFrom('spans')
      .select(['run_id', 'id'])
      .where('run_id', 'in', runIds)
      .where('status', '<>', 'running')
      .execute(),

  /** The nodes that a run came to, with what is kept of their outputs. */
  nodesOf: (runId: string) =>
    db
      .selectFrom('spans')
      .leftJoin('node_io', (join) =>
        join.onRef('node_io.run_id', '=', 'spans.run_id').onRef('node_io.node_id', '=', 'spans.node_id'),
      )
      .select(['spans.node_id', 'spans.status', 'node_io.outputs', 'node_io.truncated'])
      .where('spans.run_id', '=', runId)
      .where('spans.node_id', 'is not', null)
      .where('spans.phase', 'is', null)
      .where('spans.branch_index', 'is', null)
      .execute(),

  ioOf: (runId: string, nodeId: string) =>
    db
      .selectFrom('node_io')
      .selectAll()
      .where('run_id', '=', runId)
      .where('node_id', '=', nodeId)
      .executeTakeFirst(),
})

const removed = ({ numDeletedRows }: DeleteResult): number => Number(numDeletedRows)
