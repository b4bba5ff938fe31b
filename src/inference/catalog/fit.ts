import type { Variant } from './schema'

/** Engines take more than the weights, and the machine needs some for itself (interface, 10.7). */
const OVERHEAD = 1.25
const COMFORTABLE = 0.7
const POSSIBLE = 0.85

export interface ContextCost {
  tokens: number
  bytes: number
}

/** Whether weights of so many bytes run in this machine's memory. A warning, never a bar. */
export function fitOf(
  sizeBytes: number | null,
  memoryBytes: number,
  context: ContextCost | null,
): Pick<Variant, 'fit' | 'fitReason'> {
  if (sizeBytes === null) return { fit: 'unknown', fitReason: 'The source does not tell how large it is.' }
  const parts = context
    ? `${bytesText(sizeBytes)} of weights and ${bytesText(context.bytes)} for ${context.tokens.toLocaleString('en')} tokens of context`
    : `${bytesText(sizeBytes)} of weights, and its context beside them`
  const of = `${parts}; this machine has ${bytesText(memoryBytes)} of memory.`
  if (sizeBytes * OVERHEAD <= memoryBytes * COMFORTABLE) return { fit: 'fits', fitReason: of }
  if (sizeBytes <= memoryBytes * POSSIBLE)
    return { fit: 'tight', fitReason: `${of} Little is left for anything else.` }
  return { fit: 'too-large', fitReason: `${of} It would not load, or be very slow.` }
}

export function bytesText(bytes: number): string {
  const unit = UNITS.find(({ size }) => bytes >= size) ?? UNITS.at(-1)!
  const value = bytes / unit.size
  return `${value < 10 && unit.size > 1 ? value.toFixed(1) : Math.round(value)} ${unit.name}`
}

const UNITS = [
  { size: 1e9, name: 'GB' },
  { size: 1e6, name: 'MB' },
  { size: 1e3, name: 'kB' },
  { size: 1, name: 'bytes' },
]
