import type { Insertable, Selectable } from 'kysely'
import type { Attributes } from '#graph/events'
import { asTextColumn } from '#kernel/db/portable'
import type { Db, Tables } from '#kernel/db/tables'

export type SpanRecord = Omit<Selectable<Tables['spans']>, 'attributes'> & { attributes: Attributes }
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

export const traceStore = (db: Db) => ({
  /** The first writer wins, but an open span may still be closed. Each id at most once in `records`. */
  writeSpans: (records: SpanRecord[]) =>
    db
      .insertInto('spans')
      .values(records.map((record) => ({ ...record, attributes: JSON.stringify(record.attributes) })))
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
          }))
          .where('spans.status', '=', 'running'),
      )
      .execute(),

  writeIo: (records: IoRecord[]) =>
    db
      .insertInto('node_io')
      .values(records)
      .onConflict((conflict) => conflict.columns(['run_id', 'node_id']).doNothing())
      .execute(),

  /** Closes the spans that dead runs left open. */
  closeOpen: (runIds: string[], error: string, endNs: bigint) =>
    db
      .updateTable('spans')
      .set({ status: 'err', error, end_ns: endNs })
      .where('run_id', 'in', runIds)
      .where('status', '=', 'running')
      .execute(),

  spansOf: (runId: string) =>
    db
      .selectFrom('spans')
      .select(SHOWN)
      .select([asTextColumn('start_ns').as('start_ns'), asTextColumn('end_ns').as('end_ns')])
      .where('run_id', '=', runId)
      .orderBy('seq')
      .execute(),

  ioOf: (runId: string, nodeId: string) =>
    db
      .selectFrom('node_io')
      .selectAll()
      .where('run_id', '=', runId)
      .where('node_id', '=', nodeId)
      .executeTakeFirst(),
})
