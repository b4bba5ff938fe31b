import { bytesText } from '#kernel/bytes-text'
import type { Variant } from './schema'

/** Engines take more than the weights, and the machine needs some for itself (interface, 10.7). */
const OVERHEAD = 1.25
const COMFORTABLE = 0.7
/** The share of the memory that weights may take at all; more of it, and the machine has none for itself. */
export const POSSIBLE = 0.85

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
