import type { Sound } from './wav'

/** What whisper hears. */
export const RATE = 16_000
/** Crossings of zero on either side of the window: more is sharper and slower. */
const LOBES = 8

/** One channel at 16 kHz. Whatever the new rate cannot hold is filtered out first, where it would sound as something else. */
export function toSpeech({ channels, rate }: Sound): Float32Array {
  const mono = mixed(channels)
  return rate === RATE ? mono : resampled(mono, rate)
}

function mixed(channels: Float32Array[]): Float32Array {
  const [first] = channels
  if (channels.length === 1) return first!
  return first!.map((_, at) => channels.reduce((sum, samples) => sum + samples[at]!, 0) / channels.length)
}

function resampled(samples: Float32Array, rate: number): Float32Array {
  const step = rate / RATE
  // Downwards the filter is as much wider as there are more samples.
  const cutoff = Math.min(1, 1 / step)
  const reach = LOBES / cutoff
  const result = new Float32Array(Math.floor(samples.length / step))
  for (let index = 0; index < result.length; index++) {
    const centre = index * step
    const from = Math.max(0, Math.ceil(centre - reach))
    const to = Math.min(samples.length - 1, Math.floor(centre + reach))
    let sum = 0
    let weights = 0
    for (let at = from; at <= to; at++) {
      const weight = sinc((at - centre) * cutoff) * window((at - centre) / reach)
      sum += samples[at]! * weight
      weights += weight
    }
    result[index] = weights === 0 ? 0 : sum / weights
  }
  return result
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))

/** Hann's window, from -1 to 1. */
const window = (x: number): number => 0.5 + 0.5 * Math.cos(Math.PI * x)

/** Whole numbers of 16 bits, as the engine takes them. */
export const toInt16 = (samples: Float32Array): Int16Array<ArrayBuffer> =>
  Int16Array.from(samples, (value) => Math.round(Math.max(-1, Math.min(1, value)) * 32_767))
