import { afterEach, beforeEach, expect, test } from 'bun:test'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '#kernel/log'
import { openQueue, type Queue } from '../../src/gateway/queue/queue'
import type { RequestRecord } from '../../src/gateway/recording/record'
import { stateFiles } from '../../src/gateway/state-files'

let dir: string
let queue: Queue
let clock = 1_000
const open = (more: { maxBytes?: number; segmentBytes?: number } = {}) =>
  openQueue({
    state: stateFiles(dir),
    maxBytes: 10_000_000,
    log: silentLogger(),
    now: () => clock++,
    ...more,
  })
const record = (text = 'x') =>
  ({ v: 1, type: 'request', id: `gwr_${text}`, time: { at: clock } }) as unknown as RequestRecord
const files = () =>
  readdirSync(join(dir, 'queue'))
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
const linesOf = (from: Queue) => {
  const all: { seq: number; id: string; type: string; dropped?: number }[] = []
  for (let batch = from.next(); batch; batch = from.next()) {
    all.push(
      ...Buffer.from(batch.body)
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    )
    from.ack(batch, [])
  }
  return all
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tycho-queue-'))
})
afterEach(() => {
  queue.close()
  rmSync(dir, { recursive: true, force: true })
})

test('lines come out in order, once, in batches, and leave nothing behind', () => {
  queue = open({ segmentBytes: 20_000 })
  for (let index = 0; index < 1_300; index++) queue.add(record(String(index)))
  expect(files().length).toBeGreaterThan(5)
  expect(queue.stats.records).toBe(1_300)
  const first = queue.next()!
  expect(first.lines).toBeLessThanOrEqual(512)
  expect(Buffer.from(queue.next()!.body).equals(Buffer.from(first.body))).toBe(true)
  const lines = linesOf(queue)
  expect(lines.map(({ seq }) => seq)).toEqual(Array.from({ length: 1_300 }, (_, index) => index + 1))
  expect([files(), queue.stats]).toEqual([[], { records: 0, bytes: 0, dropped: 0, bad: 0 }])
})

test('a restart goes on where it was: numbers, what was acknowledged, the epoch', () => {
  queue = open()
  for (let index = 0; index < 10; index++) queue.add(record())
  const { epoch, gateway_id } = queue.identity
  queue.close()
  queue = open()
  queue.add(record('after'))
  expect(queue.identity).toEqual({ epoch, gateway_id })
  expect(linesOf(queue).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  queue.close()
  queue = open()
  queue.add(record('again'))
  expect(linesOf(queue).map(({ seq, id }) => [seq, id])).toEqual([[12, 'gwr_again']])
})

test('a torn tail is cut off, a line that is none is put aside, and all others are delivered', () => {
  queue = open()
  for (const name of ['a', 'b', 'c']) queue.add(record(name))
  queue.close()
  const [file] = files()
  const path = join(dir, 'queue', file!)
  const lines = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, `${lines[0]}\n{"seq":2,garbage\n${lines[2]}\n{"v":1,"type":"request","id":"torn","se`)
  queue = open()
  queue.add(record('d'))
  expect(linesOf(queue).map(({ id, seq }) => [id, seq])).toEqual([
    ['gwr_a', 1],
    ['gwr_c', 3],
    ['gwr_d', 4],
  ])
  expect(queue.stats).toMatchObject({ bad: 1, records: 0 })
  expect(readFileSync(join(dir, 'queue/bad', readdirSync(join(dir, 'queue/bad'))[0]!), 'utf8')).toBe(
    '{"seq":2,garbage\n',
  )
})

test('a queue that was taken away starts a new epoch, so that no number comes twice', () => {
  queue = open()
  queue.add(record())
  const before = queue.identity
  queue.close()
  rmSync(join(dir, 'queue'), { recursive: true })
  queue = open()
  expect(queue.identity.gateway_id).toBe(before.gateway_id)
  expect(queue.identity.epoch).not.toBe(before.epoch)
})

test('a full queue drops content first, then records, and tells of one hole', () => {
  queue = open({ maxBytes: 20_000 })
  expect(queue.keepsContent).toBe(true)
  for (let index = 0; index < 60; index++) queue.add(record('y'.repeat(100)))
  expect(queue.keepsContent).toBe(false)
  while (queue.stats.dropped < 5) queue.add(record('y'.repeat(100)))
  expect(queue.stats.bytes).toBeLessThanOrEqual(20_000)
  const before = linesOf(queue)
  expect(before.filter(({ type }) => type === 'gap')).toEqual([])
  queue.add(record('back'))
  const after = linesOf(queue)
  expect(after.map(({ type, dropped, id }) => [type, dropped, type === 'gap' ? null : id])).toEqual([
    ['gap', 5, null],
    ['request', undefined, 'gwr_back'],
  ])
  expect(after[0]!.seq).toBe(before.at(-1)!.seq + 1)
})

test('a hole that was open when the process ended is told by the next one', () => {
  queue = open({ maxBytes: 10_000 })
  while (queue.stats.dropped < 3) queue.add(record('z'.repeat(200)))
  queue.next()
  // No farewell: what a crash leaves is the file that the timer wrote.
  const left = queue
  queue = open({ maxBytes: 10_000 })
  expect(queue.stats.dropped).toBe(3)
  linesOf(queue)
  queue.add(record('back'))
  expect(linesOf(queue)[0]).toMatchObject({ type: 'gap', dropped: 3 })
  void left
})

test('a clock that jumps back changes nothing of the order', () => {
  queue = open()
  clock = 5_000_000
  queue.add(record('late'))
  clock = 10
  queue.add(record('early'))
  expect(linesOf(queue).map(({ id }) => id)).toEqual(['gwr_late', 'gwr_early'])
})

test('a file that somebody else put there is left alone', () => {
  queue = open()
  queue.add(record())
  appendFileSync(join(dir, 'queue', 'notes.txt'), 'mine')
  linesOf(queue)
  expect(readFileSync(join(dir, 'queue', 'notes.txt'), 'utf8')).toBe('mine')
})
