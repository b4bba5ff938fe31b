import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import type { Logger } from '#kernel/log'
import { every } from '#kernel/loop'
import type { SettingsService } from '../../settings/service'
import { gatewayStore } from '../store'
import { archiveStore } from './store'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
const REFUSALS_KEPT_MS = 31 * DAY_MS
/** Lines of one part, unpacked: what is held in memory at once. */
const PART_BYTES = 32 * 1024 * 1024
const PAGE_ROWS = 1_000
/** A part that somebody began and did not end for so long was left by a crash. */
const CLAIM_MS = 15 * 60 * 1000
const CODEC = 'zstd'

interface Deps {
  db: Db
  settings: Pick<SettingsService, 'get'>
  log: Logger
  now: () => number
}

export type ArchiveService = ReturnType<typeof archiveService>

/**
 * Moves whole days that are over their time into compressed archives (specification, part 8). Totals stay where they
 * are. Each step can be cut off by a crash and is taken up again: rows are marked with their part before it is made, and
 * deleted only once it is stored and was read back.
 */
export function archiveService({ db, settings, log, now }: Deps) {
  const store = archiveStore(db)

  async function sweep(signal: AbortSignal) {
    await gatewayStore(db).removeRefusalsBefore(now() - REFUSALS_KEPT_MS)
    await gatewayStore(db).removeTicketsBefore(now())
    const days = settings.get('ai_gateway.request_retention_days')
    if (days === 0) return
    const before = new Date(now() - days * DAY_MS).toISOString().slice(0, 10)
    for (const day of await store.daysBefore(before)) {
      while (!signal.aborted && (await archivePart(day, signal)));
    }
  }

  /** @returns whether there may be more of this day */
  async function archivePart(day: string, signal: AbortSignal): Promise<boolean> {
    const parts = await store.partsOf(day)
    for (const { part, state } of parts) if (state === 'complete') await removeRows(day, part, signal)
    const part = await claimed(day, parts)
    if (part === null) return false
    const lines = await linesOf(day, part)
    if (lines.length === 0) {
      await store.release(day, part)
      return false
    }
    const made = packed(day, lines)
    await verify(day, await store.requestsIn(day, part))
    await store.complete(day, part, made)
    // The next call deletes the rows, as it does for a part whose maker crashed here.
    log.info({ day, part, rows: lines.length }, 'requests of the AI gateway were archived')
    return true
  }

  /** The part to make: one that a crash left, or the next; null where another process is at it. */
  async function claimed(day: string, parts: Awaited<ReturnType<typeof store.partsOf>>) {
    const left = parts.find(({ state }) => state === 'making')
    if (!left) {
      const part = (parts.at(-1)?.part ?? 0) + 1
      return (await store.claim(day, part, now())) ? part : null
    }
    if (now() - left.claimed_at < CLAIM_MS) return null
    await store.claimAgain(day, left.part, now())
    return left.part
  }

  /** Rows that this part was given before a crash, else the next ones of the day. */
  async function linesOf(day: string, part: number): Promise<string[]> {
    if ((await store.rowsOf(day, part)) === 0) {
      let bytes = 0
      for (let last = PAGE_ROWS; last === PAGE_ROWS && bytes < PART_BYTES; ) {
        const marked = await store.mark(day, part, PAGE_ROWS)
        last = marked.rows
        bytes += marked.bytes
      }
    }
    return store.lines(day, part)
  }

  /** Every request of the day is in a total, and in an archive, in this part or still in detail. @throws when one is not */
  async function verify(day: string, inPart: number) {
    const { counted, detailed, archived } = await store.requestsOf(day)
    const found = detailed + archived + inPart
    if (counted !== found)
      throw new Error(`${day} has ${counted} requests in its totals, but ${found} in records`)
  }

  async function removeRows(day: string, part: number, signal: AbortSignal) {
    while (!signal.aborted && (await store.removeSlice(day, part, PAGE_ROWS)) === PAGE_ROWS);
  }

  return {
    /** At once, and then every hour. */
    start(signal: AbortSignal) {
      const work = () => sweep(signal)
      void work().catch((error) => log.warn({ err: error }, 'days of the AI gateway could not be archived'))
      every(HOUR_MS, 'archives of the AI gateway', work, log, signal)
    },

    sweep,

    async list() {
      const rows = await store.all()
      const days = [...new Set(rows.map(({ day }) => day))]
      return {
        archives: days.map((day) => {
          const parts = rows.filter((row) => row.day === day)
          const sum = (field: 'rows' | 'requests' | 'bytes' | 'stored_bytes') =>
            parts.reduce((total, row) => total + Number(row[field]), 0)
          return {
            day,
            parts: parts.length,
            rows: sum('rows'),
            requests: sum('requests'),
            bytes: sum('bytes'),
            stored_bytes: sum('stored_bytes'),
            codec: CODEC,
            sha256: parts.map(({ sha256 }) => sha256),
          }
        }),
      }
    },

    /** All parts of a day as one file. @throws {AppError} `archive_not_found` */
    async download(day: string): Promise<Response> {
      const parts = /^\d{4}-\d{2}-\d{2}$/.test(day)
        ? (await store.partsOf(day)).filter(({ state }) => state === 'complete')
        : []
      if (parts.length === 0) throw new AppError('archive_not_found', 'There is no archive of that day.')
      async function* lines() {
        for (const { part } of parts) {
          const blob = await store.blob(day, part)
          if (blob) yield Bun.zstdDecompressSync(blob)
        }
      }
      const file = Readable.from(lines()).pipe(createGzip())
      return new Response(Readable.toWeb(file) as unknown as ReadableStream, {
        headers: {
          'content-type': 'application/x-ndjson',
          'content-encoding': 'gzip',
          'content-disposition': `attachment; filename="gateway-${day}.jsonl"`,
        },
      })
    },
  }
}

/** The lines as one blob, which was read back: what cannot be must not be all that is left. */
function packed(day: string, lines: string[]) {
  const text = `${lines.join('\n')}\n`
  const blob = Bun.zstdCompressSync(text)
  const sha256 = hash(text)
  if (hash(Bun.zstdDecompressSync(blob)) !== sha256)
    throw new Error(`the archive of ${day} does not read back`)
  return { rows: lines.length, bytes: Buffer.byteLength(text), sha256, blob }
}

const hash = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
