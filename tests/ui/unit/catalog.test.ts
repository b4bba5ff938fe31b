import { expect, test } from 'bun:test'
import { shareOf, timeLeft } from '../../../ui/catalog/labels'
import { proposeId } from '../../../ui/catalog/propose'
import { byteSize, shortTime } from '../../../ui/registries/labels'

test.each([
  [[], 'qwen3-4b'],
  [['qwen3-4b'], 'qwen3-4b-q4_k_m'],
  [['qwen3-4b', 'qwen3-4b-q4_k_m'], 'qwen3-4b-q4_k_m-2'],
  [['qwen3-4b', 'qwen3-4b-q4_k_m', 'qwen3-4b-q4_k_m-2'], 'qwen3-4b-q4_k_m-3'],
])('with %j taken a download is called %s', (taken, id) => {
  expect(proposeId({ ref: 'Qwen/Qwen3-4B-GGUF', label: 'Q4_K_M' }, taken)).toBe(id)
})

test.each([
  [999, '999 B'],
  [1_000, '1.00 kB'],
  [4_680_000_000, '4.68 GB'],
  [16_100_000_000, '16.1 GB'],
  [2e15, '2000 TB'],
])('%d bytes are %s', (bytes, text) => expect(byteSize(bytes)).toBe(text))

test.each([
  [null, null],
  [0, '1 s left'],
  [59, '59 s left'],
  [144, '2 min left'],
  [5_400, '1 h 30 min left'],
])('%p seconds: %p', (seconds, text) => expect(timeLeft(seconds)).toBe(text))

test.each([
  [0, '0 ms'],
  [340, '340 ms'],
  [2_410, '2.41 s'],
  [3_720_000, '1 h 2 min'],
])('%d ms took %s', (ms, text) => expect(shortTime(ms)).toBe(text))

test('how far a download is, as far as its size is known', () => {
  expect(shareOf({ doneBytes: 1, totalBytes: 4 })).toBe(0.25)
  expect(shareOf({ doneBytes: 1, totalBytes: null })).toBeNull()
  expect(shareOf({ doneBytes: 0, totalBytes: 0 })).toBeNull()
})
