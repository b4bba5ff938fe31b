import { expect, test } from 'bun:test'
import type { Form } from '../../src/inference/v1/form'
import { recordingQueue } from '../../src/inference/v1/recordings'

const BASE_MS = 120_000

const form = (content: Buffer): Form => ({
  boundary: 'b',
  parts: [{ name: 'file', isFile: true, bytes: content, content }],
})

/** Of so many bytes, with a header that says how many are a second. */
function wav(bytes: number, { channels = 1, rate = 16_000, bits = 16 } = {}): Form {
  const content = Buffer.alloc(bytes)
  content.write('RIFF....WAVEfmt ', 'latin1')
  content.writeUInt16LE(channels, 22)
  content.writeUInt32LE(rate, 24)
  content.writeUInt16LE(bits, 34)
  return form(content)
}

test.each<[what: string, recording: Form, withinMs: number]>([
  ['a minute of 16 kHz', wav(1_920_000), BASE_MS + 600_000],
  ['the same bytes in stereo at 48 kHz', wav(1_920_000, { channels: 2, rate: 48_000 }), BASE_MS + 100_000],
  ['a header that says nothing', wav(2_000, { rate: 0 }), BASE_MS + 10_000],
  ['a compressed recording', form(Buffer.alloc(20_000)), BASE_MS + 100_000],
  ['nothing', form(Buffer.alloc(0)), BASE_MS],
  ['a day and more', form(Buffer.alloc(20_000_000)), 24 * 60 * 60_000],
])('an engine has time for %s', (_what, recording, withinMs) => {
  using place = recordingQueue().enter('ears', recording)
  expect(place.withinMs).toBe(withinMs)
})

test('those ahead in the queue of the same model count too, until they are done', () => {
  const queue = recordingQueue()
  const second = wav(32_000)
  {
    using first = queue.enter('ears', second)
    using next = queue.enter('ears', second)
    using other = queue.enter('other ears', second)
    const times = [first, next, other].map(({ withinMs }) => withinMs - BASE_MS)
    expect(times).toEqual([10_000, 20_000, 10_000])
  }
  using later = queue.enter('ears', second)
  expect(later.withinMs).toBe(BASE_MS + 10_000)
})
