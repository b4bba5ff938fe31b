import { describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { speechOf } from '#engines/host/whisper/audio'
import { RATE, toSpeech } from '#engines/host/whisper/resample'
import { readWav } from '#engines/host/whisper/wav'
import { testFolder } from './machine'

interface Format {
  kind?: number
  bits: number
  rate?: number
  channels?: number
  put: (bytes: DataView, at: number, value: number) => void
}

/** A WAV file of `samples`, one after the other over all channels, with whatever else stands before them. */
function wav(
  samples: number[],
  { kind = 1, bits, rate = RATE, channels = 1, put }: Format,
  before = 0,
): Uint8Array<ArrayBuffer> {
  const width = bits / 8
  const start = 44 + before
  const bytes = new Uint8Array(start + samples.length * width)
  const view = new DataView(bytes.buffer)
  const text = (at: number, name: string) => bytes.set(Buffer.from(name), at)
  text(0, 'RIFF')
  text(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, kind, true)
  view.setUint16(22, channels, true)
  view.setUint32(24, rate, true)
  view.setUint16(34, bits, true)
  if (before > 0) {
    text(36, 'LIST')
    view.setUint32(40, before - 9, true)
  }
  text(start - 8, 'data')
  view.setUint32(start - 4, samples.length * width, true)
  for (const [index, value] of samples.entries()) put(view, start + index * width, value)
  return bytes
}

const pcm16: Format = { bits: 16, put: (view, at, value) => view.setInt16(at, value * 32_768, true) }
const put24: Format['put'] = (view, at, value) => {
  const whole = Math.round(value * 2 ** 23)
  view.setUint16(at, whole & 0xffff, true)
  view.setInt8(at + 2, whole >> 16)
}

describe('WAV', () => {
  test.each<[string, Format]>([
    ['8 bits', { bits: 8, put: (view, at, value) => view.setUint8(at, 128 + value * 128) }],
    ['16 bits', pcm16],
    ['24 bits', { bits: 24, put: put24 }],
    ['32 bits', { bits: 32, put: (view, at, value) => view.setInt32(at, value * 2 ** 31, true) }],
    ['32 bits of float', { kind: 3, bits: 32, put: (view, at, value) => view.setFloat32(at, value, true) }],
    ['64 bits of float', { kind: 3, bits: 64, put: (view, at, value) => view.setFloat64(at, value, true) }],
  ])('of %s', (_, format) => {
    const { channels, rate } = readWav(wav([0, 0.5, -0.5, -1], format))
    expect([[...channels[0]!], rate]).toEqual([[0, 0.5, -0.5, -1], RATE])
  })

  test('two channels become one', () => {
    const sound = readWav(wav([0.5, -0.5, 0.5, 0.25], { ...pcm16, channels: 2 }))
    expect([...toSpeech(sound)]).toEqual([0, 0.375])
  })

  test('chunks before the samples are passed over, also of an odd length', () => {
    expect([...readWav(wav([0.5], pcm16, 12)).channels[0]!]).toEqual([0.5])
  })

  test('a recorder that did not know the length yet', () => {
    for (const length of [0, 0xffffffff]) {
      const bytes = wav([0.5, 0.25], pcm16)
      new DataView(bytes.buffer).setUint32(40, length, true)
      expect(readWav(bytes).channels[0]).toHaveLength(2)
    }
  })

  test.each<[string, Uint8Array<ArrayBuffer>]>([
    ['a header only', wav([], pcm16).subarray(0, 30)],
    ['no samples', wav([0.5], pcm16).subarray(0, 36)],
    ['an unknown format', wav([0.5], { ...pcm16, kind: 85 })],
    ['no channel', wav([0.5], { ...pcm16, channels: 0 })],
    ['an impossible rate', wav([0.5], { ...pcm16, rate: 1 })],
  ])('with %s is refused', (_, bytes) => {
    expect(() => readWav(bytes)).toThrow(/WAV file/)
  })
})

describe('another rate', () => {
  const tone = (rate: number, hertz: number) =>
    Float32Array.from({ length: rate }, (_, at) => 0.5 * Math.sin((at / rate) * hertz * 2 * Math.PI))
  const loudness = (samples: Float32Array) =>
    Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length)

  test.each([8_000, 22_050, 44_100, 48_000])('%d Hz keeps length and tone', (rate) => {
    const heard = toSpeech({ channels: [tone(rate, 440)], rate })
    const wanted = tone(RATE, 440)
    expect(Math.abs(heard.length - RATE)).toBeLessThanOrEqual(1)
    // The ends have neighbours on one side only.
    const apart = heard.subarray(100, -100).map((value, at) => value - wanted[at + 100]!)
    expect(loudness(apart)).toBeLessThan(0.01)
  })

  test('what the new rate cannot hold is silent, not another tone', () => {
    expect(loudness(toSpeech({ channels: [tone(48_000, 12_000)], rate: 48_000 }))).toBeLessThan(0.01)
  })
})

describe('other formats', () => {
  test('go through ffmpeg, which is told to fetch nothing', async () => {
    using folder = testFolder()
    const program = join(folder.path, 'ffmpeg')
    // Answers with its own command line, then the recording.
    writeFileSync(program, `#!/bin/sh\necho "$@" > ${folder.path}/line\ncat\n`)
    chmodSync(program, 0o700)
    expect([...(await speechOf(Uint8Array.of(1, 0, 2, 0), program))]).toEqual([1, 2])
    const line = await Bun.file(join(folder.path, 'line')).text()
    expect(line).toContain('-protocol_whitelist pipe -i pipe:0 -vn -ac 1 -ar 16000 -f s16le pipe:1')
  })

  test('that ffmpeg cannot read are refused with what it said', async () => {
    using folder = testFolder()
    const program = join(folder.path, 'ffmpeg')
    writeFileSync(program, '#!/bin/sh\necho "Invalid data found" >&2\nexit 1\n')
    chmodSync(program, 0o700)
    await expect(speechOf(Uint8Array.of(1), program)).rejects.toThrow(
      'ffmpeg cannot read it. Invalid data found',
    )
    await expect(speechOf(Uint8Array.of(1), undefined)).rejects.toThrow('Install ffmpeg, or send WAV.')
    await expect(speechOf(new Uint8Array(), program)).rejects.toThrow('is empty')
  })
})
