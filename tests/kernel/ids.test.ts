import { expect, test } from 'bun:test'
import { decodeTime } from 'ulid'
import { newId } from '#kernel/ids'

const HOUR_MS = 3_600_000

test('ids follow one another, within a millisecond and when the clock is a little late', () => {
  const now = Date.now()
  const ids = [now, now, now + 1, now - 5_000, now + 2].map((time) => newId('bare', time))
  expect(ids).toEqual([...ids].sort())
  expect(new Set(ids).size).toBe(ids.length)
})

test('a clock that was an hour ahead leaves no mark on what comes after', () => {
  const now = Date.now()
  newId('bare', now + HOUR_MS)
  expect(decodeTime(newId('bare', now))).toBe(now)
  newId('user', now + HOUR_MS)
  expect(decodeTime(newId('user', now).slice('usr_'.length))).toBe(now)
})
