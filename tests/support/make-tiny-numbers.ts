/** Numbers that the generators of tiny models fill their weights with: the same in every run. */

/** Spread evenly over [-1, 1). */
export function evenNoise(seed: number): () => number {
  const next = xorshift(seed)
  return () => (next() / 2 ** 32) * 2 - 1
}

/** Noise around 0 with a variance of 1, near enough to a normal distribution. */
export function normalNoise(seed: number): () => number {
  const next = xorshift(seed)
  return () => {
    const [a, b] = [next(), next()]
    const sum = (a & 0xffff) + (a >>> 16) + (b & 0xffff) + (b >>> 16)
    return (sum / 65_535 - 2) * Math.sqrt(3)
  }
}

/** 1 or -1, a fixed function of two numbers: rows of it are as good as orthogonal. */
export function randomSign(row: number, column: number): number {
  let hash = Math.imul(row + 1, 0x85ebca6b) ^ Math.imul(column + 1, 0xc2b2ae35)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39)
  return (hash ^ (hash >>> 16)) & 1 ? 1 : -1
}

const float = new Float32Array(1)
const floatBits = new Uint32Array(float.buffer)

/** The bits of a number as a 16-bit float, rounded to the nearest. */
export function halfBits(value: number): number {
  float[0] = value
  const bits = floatBits[0]!
  const sign = (bits >>> 16) & 0x8000
  const exponent = ((bits >>> 23) & 0xff) - 112
  const mantissa = bits & 0x7fffff
  if (exponent >= 31) return sign | 0x7c00
  if (exponent < -10) return sign
  if (exponent <= 0) return sign | ((((mantissa | 0x800000) >>> (1 - exponent)) + 0x1000) >>> 13)
  return (sign | (exponent << 10) | (mantissa >>> 13)) + ((mantissa >>> 12) & 1)
}

function xorshift(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}
