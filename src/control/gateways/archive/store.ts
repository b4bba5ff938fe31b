import { sql } from 'kysely'
import { isUniqueViolation } from '#kernel/db/portable'
import type { Db } from '#kernel/db/tables'

interface Made {
  rows: number
  bytes: number
  sha256: string
  blob: Uint8Array
}

export const archiveStore = (db: Db) => ({
  daysBefore: async (day: string): Promise<string[]> => {
    const rows = await db
      .selectFrom('gateway_records')
      .where('day', '<', day)
      .select('day')
      .distinct()
      .orderBy('day')
      .execute()
    return rows.map((row) => row.day)
  },

  partsOf: (day: string) =>
    db
      .selectFrom('gateway_archives')
      .where('day', '=', day)
      .select(['part', 'state', 'claimed_at'])
      .orderBy('part')
      .execute(),

  /** False where another process has it. */
  async claim(day: string, part: number, now: number): Promise<boolean> {
    try {
      await db
        .insertInto('gateway_archives')
        .values({
          day,
          part,
          state: 'making',
          claimed_at: now,
          codec: 'zstd',
          rows: 0,
          requests: 0,
          bytes: 0,
          sha256: '',
          blob: Buffer.alloc(0),
        })
        .execute()
      return true
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      return false
    }
  },

  claimAgain: (day: string, part: number, now: number) =>
    db
      .updateTable('gateway_archives')
      .set({ claimed_at: now })
      .where('day', '=', day)
      .where('part', '=', part)
      .execute(),

  release: (day: string, part: number) =>
    db
      .deleteFrom('gateway_archives')
      .where('day', '=', day)
      .where('part', '=', part)
      .where('state', '=', 'making')
      .execute(),

  complete: async (day: string, part: number, made: Made) =>
    db
      .updateTable('gateway_archives')
      .set({
        ...made,
        requests: await archiveStore(db).requestsIn(day, part),
        blob: Buffer.from(made.blob),
        state: 'complete',
      })
      .where('day', '=', day)
      .where('part', '=', part)
      .execute(),

  async requestsIn(day: string, part: number): Promise<number> {
    const row = await db
      .selectFrom('gateway_records')
      .where('day', '=', day)
      .where('archive_part', '=', part)
      .where('type', '=', 'request')
      .select((is) => is.fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow()
    return Number(row.rows)
  },

  async rowsOf(day: string, part: number): Promise<number> {
    const row = await db
      .selectFrom('gateway_records')
      .where('day', '=', day)
      .where('archive_part', '=', part)
      .select((is) => is.fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow()
    return Number(row.rows)
  },

  /** Gives the next rows of a day to a part. @returns how many, and how long their lines are */
  async mark(day: string, part: number, limit: number) {
    const rows = await db
      .selectFrom('gateway_records')
      .where('day', '=', day)
      .where('archive_part', 'is', null)
      .select(['gateway_id', 'epoch', 'seq', sql<number>`length(line)`.as('bytes')])
      .orderBy('at')
      .orderBy('id')
      .limit(limit)
      .execute()
    await db.transaction().execute(async (tx) => {
      for (const { gateway_id, epoch, seq } of rows) {
        await tx
          .updateTable('gateway_records')
          .set({ archive_part: part })
          .where('gateway_id', '=', gateway_id)
          .where('epoch', '=', epoch)
          .where('seq', '=', seq)
          .execute()
      }
    })
    return { rows: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + Number(bytes), 0) }
  },

  async lines(day: string, part: number): Promise<string[]> {
    const rows = await db
      .selectFrom('gateway_records')
      .where('day', '=', day)
      .where('archive_part', '=', part)
      .select('line')
      .orderBy('at')
      .orderBy('id')
      .execute()
    return rows.map(({ line }) => line)
  },

  /** Requests of a day: in its totals, still in detail beyond what is archived, and in archives. */
  async requestsOf(day: string) {
    const counted = await db
      .selectFrom('gateway_daily')
      .where('day', '=', day)
      .select((is) => is.fn.sum<number | null>('requests').as('count'))
      .executeTakeFirstOrThrow()
    const detailed = await db
      .selectFrom('gateway_records')
      .where('day', '=', day)
      .where('archive_part', 'is', null)
      .where('type', '=', 'request')
      .select((is) => is.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    const archived = await db
      .selectFrom('gateway_archives')
      .where('day', '=', day)
      .where('state', '=', 'complete')
      .select((is) => is.fn.sum<number | null>('requests').as('count'))
      .executeTakeFirstOrThrow()
    return {
      counted: Number(counted.count ?? 0),
      detailed: Number(detailed.count),
      archived: Number(archived.count ?? 0),
    }
  },

  /** @returns how many rows are gone */
  async removeSlice(day: string, part: number, limit: number): Promise<number> {
    const { numDeletedRows } = await db
      .deleteFrom('gateway_records')
      .where(
        sql`(gateway_id, epoch, seq)`,
        'in',
        sql`(select gateway_id, epoch, seq from gateway_records where day = ${day} and archive_part = ${part} limit ${limit})`,
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  },

  all: () =>
    db
      .selectFrom('gateway_archives')
      .where('state', '=', 'complete')
      .select([
        'day',
        'part',
        'rows',
        'requests',
        'bytes',
        'sha256',
        sql<number>`length(blob)`.as('stored_bytes'),
      ])
      .orderBy('day', 'desc')
      .orderBy('part')
      .execute(),

  blob: async (day: string, part: number): Promise<Uint8Array | undefined> =>
    (
      await db
        .selectFrom('gateway_archives')
        .where('day', '=', day)
        .where('part', '=', part)
        .select('blob')
        .executeTakeFirst()
    )?.blob,
})
