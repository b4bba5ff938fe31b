import { freemem } from 'node:os'
import { bytesText } from '#kernel/bytes-text'

/** What a model takes of the machine's memory while its engine runs, as far as its files tell. */
export interface MemoryNeed {
  weightsBytes: number
  contextBytes: number
}

export interface Memory {
  /** Bytes that one more engine may take beside those that take `takenBytes` already. */
  free(takenBytes: number): number
}

/**
 * The memory of this machine, of which engines may take `engineBytes` together. Engines are counted by what their models
 * need: mapped weights are called available by the system although an engine reads them with every token. What is
 * available sets the lower bound where the system knows; macOS counts as free only what nobody has used yet.
 */
export const machineMemory = (
  engineBytes: number,
  availableBytes: () => number = process.platform === 'darwin' ? () => Number.POSITIVE_INFINITY : freemem,
): Memory => ({
  free: (takenBytes) => Math.max(0, Math.min(engineBytes - takenBytes, availableBytes())),
})

export const totalOf = (need: MemoryNeed | undefined): number =>
  need ? need.weightsBytes + need.contextBytes : 0

/** What a person is told of a model that is loaded although the memory hardly holds it. */
export const shortOfMemory = (need: MemoryNeed, freeBytes: number): string =>
  `It needs about ${bytesText(totalOf(need))} of memory (${bytesText(need.weightsBytes)} of weights, ` +
  `${bytesText(need.contextBytes)} of context), and ${bytesText(freeBytes)} are free for it: ` +
  'it may not load, or be very slow. Free another model, set a smaller ctxSize, or take a smaller variant.'
