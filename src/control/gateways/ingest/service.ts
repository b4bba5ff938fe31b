import { gunzipSync } from 'node:zlib'
import { exclusively } from '#kernel/db/portable'
import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import { readBytes } from '#kernel/http/body'
import { currentPrices } from '../prices'
import type { Ingested } from '../schema'
import type { GatewayRow } from '../store'
import { type GapLine, type Line, type ReadLine, readLine } from './line'
import { ingestInserts, ingestStore } from './store'
import { daySumRows, sessionSpanRows } from './sums'
import { type Counted, counted, dailyRows, NOBODY, sessionDayRows, sessionRows, toolRows } from './totals'

/** A gateway sends at most a mebibyte, or one line that is larger. */
const MAX_BODY_BYTES = 8 * 1024 * 1024
const MAX_LINES = 4_096
/** A clock that is further ahead than this is wrong: the record counts for today. */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000
const FIRST_MS = Date.UTC(2020, 0, 1)

export type IngestService = ReturnType<typeof ingestService>

/** Takes records in, each exactly once, and adds them to the totals in the same transaction. */
export function ingestService({ db, now }: { db: Db; now: () => number }) {
  const inserts = ingestInserts()

  return {
    /** @throws {AppError} `payload_too_large`, `invalid_request` */
    async ingest(gateway: GatewayRow, request: Request): Promise<Ingested> {
      const lines = linesOf(await bodyOf(request)).map(readLine)
      // One batch at a time: two gateways add to the same totals.
      return exclusively(db, 'gateway-records', (tx) => take(tx, gateway, lines))
    },
  }

  async function take(tx: Db, gateway: GatewayRow, lines: ReadLine[]): Promise<Ingested> {
    const store = ingestStore(tx)
    const epochs = new Set(lines.flatMap((line) => epochOf(line) ?? []))
    const before = await store.watermarks(gateway.id, [...epochs])
    const { fresh, duplicates, rejected, after } = sorted(lines, before)
    const prices = await currentPrices(tx)
    const requests = fresh.flatMap(({ line, text }) =>
      line.type === 'request' ? [{ text, ...counted(line, gateway.id, timeOf(line.time.at), prices) }] : [],
    )
    const gaps = fresh.flatMap(({ line, text }) => (line.type === 'gap' ? [{ line, text }] : []))
    await inserts.records(tx, [
      ...requests.map((record) => requestRow(record, prices.version)),
      ...gaps.map(({ line, text }) => gapRow(gateway.id, line, text, timeOf(line.to))),
    ])
    const daily = dailyRows(requests)
    const sessionDays = sessionDayRows(requests)
    await inserts.daily(tx, daily)
    await inserts.daySums(tx, daySumRows(daily))
    await inserts.sessionDays(tx, sessionDays)
    await inserts.sessionSpans(tx, sessionSpanRows(sessionDays))
    await inserts.sessions(tx, sessionRows(requests))
    await inserts.tools(tx, toolRows(requests))
    if (gaps.length > 0) await store.insertGaps(gaps.map(({ line }) => holeOf(gateway.id, line)))
    for (const [epoch, seq] of after) {
      if (seq > (before.get(epoch) ?? 0))
        await store.raiseWatermark({ gateway_id: gateway.id, epoch, seq, updated_at: now() })
    }
    for (const [keyId, at] of lastUses(requests)) await store.touchKey(keyId, at)
    return { accepted: fresh.length, duplicates, rejected }
  }

  /** A gateway's clock may be wrong: what cannot be is now. */
  function timeOf(at: number): number {
    return at < FIRST_MS || at > now() + MAX_AHEAD_MS ? now() : at
  }

  function holeOf(gatewayId: string, { id, from, to, dropped }: GapLine) {
    return {
      id: `${gatewayId}-${id}`,
      gateway_id: gatewayId,
      day: new Date(timeOf(to)).toISOString().slice(0, 10),
      from_at: timeOf(from),
      to_at: timeOf(to),
      dropped,
    }
  }
}

/** What is new, by the highest number that is known of each queue; also a line that is no good uses up its number. */
function sorted(lines: ReadLine[], before: Map<string, number>) {
  const after = new Map(before)
  const fresh: { line: Line; text: string }[] = []
  const rejected: Ingested['rejected'] = []
  let duplicates = 0
  for (const read of lines) {
    const epoch = epochOf(read)
    const seq = read.ok ? read.line.seq : read.seq
    const isKnown = epoch !== null && seq !== null && seq <= (after.get(epoch) ?? 0)
    if (isKnown) {
      duplicates++
      continue
    }
    if (epoch !== null && seq !== null) after.set(epoch, seq)
    if (read.ok) fresh.push(read)
    else rejected.push({ seq: read.seq, code: read.code })
  }
  return { fresh, duplicates, rejected, after }
}

const epochOf = (read: ReadLine): string | null => (read.ok ? read.line.epoch : read.epoch)

const requestRow = (record: Counted & { text: string }, priceVersion: number) => {
  const { line, text, gatewayId, day, at, model, cost } = record
  const { input, cache_read, cache_write_5m, cache_write_1h, output } = line.tokens
  return {
    id: line.id,
    type: line.type,
    gateway_id: gatewayId,
    epoch: line.epoch,
    seq: line.seq,
    day,
    at,
    session_id: line.session_id,
    developer_id: line.developer_id ?? NOBODY,
    model,
    input,
    cache_read,
    cache_write_5m,
    cache_write_1h,
    output,
    cost,
    price_version: priceVersion,
    archive_part: null,
    line: text,
  }
}

const gapRow = (gatewayId: string, { id, type, epoch, seq }: GapLine, text: string, at: number) => ({
  id,
  type,
  gateway_id: gatewayId,
  epoch,
  seq,
  day: new Date(at).toISOString().slice(0, 10),
  at,
  session_id: null,
  developer_id: NOBODY,
  model: '',
  input: 0,
  cache_read: 0,
  cache_write_5m: 0,
  cache_write_1h: 0,
  output: 0,
  cost: 0,
  price_version: 0,
  archive_part: null,
  line: text,
})

function lastUses(records: Counted[]): Map<string, number> {
  const uses = new Map<string, number>()
  for (const { line, at } of records)
    if (line.key_id !== null) uses.set(line.key_id, Math.max(at, uses.get(line.key_id) ?? 0))
  return uses
}

async function bodyOf(request: Request): Promise<Uint8Array> {
  const bytes = await readBytes(request, MAX_BODY_BYTES)
  if (request.headers.get('content-encoding') !== 'gzip') return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BODY_BYTES })
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE')
      throw new AppError('payload_too_large', 'Unpacked, the batch is larger than 8 MiB.')
    throw new AppError('invalid_request', 'The body says that it is gzip, and is not.')
  }
}

/** @throws {AppError} `payload_too_large` */
function linesOf(bytes: Uint8Array): string[] {
  const lines = new TextDecoder().decode(bytes).split('\n').filter(Boolean)
  if (lines.length > MAX_LINES)
    throw new AppError('payload_too_large', `A batch has at most ${MAX_LINES} lines.`)
  return lines
}
