import { invalid } from '../http'

export interface Sound {
  /** One array of samples from -1 to 1 for each channel. */
  channels: Float32Array[]
  rate: number
}

const PCM = 1
const FLOAT = 3
/** The real format stands further on. */
const EXTENSIBLE = 0xfffe
const MAX_CHANNELS = 8

interface Format {
  kind: number
  channels: number
  rate: number
  bits: number
}

/** How to read one sample of a format. */
type Read = (bytes: DataView, at: number) => number
const READERS: Record<string, Read> = {
  [`${PCM}-8`]: (bytes, at) => (bytes.getUint8(at) - 128) / 128,
  [`${PCM}-16`]: (bytes, at) => bytes.getInt16(at, true) / 2 ** 15,
  [`${PCM}-24`]: (bytes, at) => (bytes.getUint16(at, true) + bytes.getInt8(at + 2) * 2 ** 16) / 2 ** 23,
  [`${PCM}-32`]: (bytes, at) => bytes.getInt32(at, true) / 2 ** 31,
  [`${FLOAT}-32`]: (bytes, at) => bytes.getFloat32(at, true),
  [`${FLOAT}-64`]: (bytes, at) => bytes.getFloat64(at, true),
}

export const isWav = (bytes: Uint8Array): boolean => name(bytes, 0) === 'RIFF' && name(bytes, 8) === 'WAVE'

/** The samples of a WAV file. @throws {HostError} 400 */
export function readWav(bytes: Uint8Array): Sound {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let format: Format | null = null
  for (let at = 12; at + 8 <= bytes.length; ) {
    const chunk = name(bytes, at)
    const start = at + 8
    const length = view.getUint32(at + 4, true)
    if (chunk === 'fmt ') format = formatOf(view, start, length)
    if (chunk === 'data') {
      if (!format) break
      // Recorders that stream do not know the length beforehand and write 0 or the largest number there is.
      const known = length === 0 || length === 0xffffffff ? bytes.length : start + length
      return samplesOf(view, start, Math.min(known, bytes.length), format)
    }
    // Chunks begin at even places.
    at = start + length + (length % 2)
  }
  throw invalid('The WAV file is cut: it holds no samples.')
}

function formatOf(view: DataView, start: number, length: number): Format {
  if (length < 16 || start + length > view.byteLength) throw invalid('The WAV file is cut within its header.')
  const tag = view.getUint16(start, true)
  const kind = tag === EXTENSIBLE && length >= 26 ? view.getUint16(start + 24, true) : tag
  return {
    kind,
    channels: view.getUint16(start + 2, true),
    rate: view.getUint32(start + 4, true),
    bits: view.getUint16(start + 14, true),
  }
}

function samplesOf(view: DataView, start: number, end: number, format: Format): Sound {
  const { kind, channels, rate, bits } = format
  const read = READERS[`${kind}-${bits}`]
  if (!read) {
    throw invalid(
      `The WAV file holds the format ${kind} with ${bits} bits, which is not read. Send PCM or float samples.`,
    )
  }
  if (channels < 1 || channels > MAX_CHANNELS || rate < 1_000 || rate > 768_000) {
    throw invalid(`The WAV file says that it has ${channels} channels at ${rate} Hz, which no recording has.`)
  }
  const width = bits / 8
  const frames = Math.floor((end - start) / (width * channels))
  const all = Array.from({ length: channels }, () => new Float32Array(frames))
  for (let frame = 0, at = start; frame < frames; frame++) {
    for (const samples of all) {
      samples[frame] = read(view, at)
      at += width
    }
  }
  return { channels: all, rate }
}

const name = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4))
