import type { LlamaContextSequence, Token } from 'node-llama-cpp'
import { HostError } from '../http'

/** Who comes later is told at once. */
const MAX_WAITING = 512

export type Sequences = ReturnType<typeof sequencePool>

/** The parallel answers of a context: each takes one sequence, in the order in which they came. */
export function sequencePool(all: readonly LlamaContextSequence[]) {
  const free = [...all]
  const waiting: ((sequence: LlamaContextSequence) => void)[] = []

  return {
    /** The free sequence that knows most of the prompt already. @throws where the caller leaves first */
    async take(tokens: Token[], signal: AbortSignal): Promise<LlamaContextSequence> {
      signal.throwIfAborted()
      const best = free.toSorted((a, b) => inCommon(b, tokens) - inCommon(a, tokens))[0]
      if (best) {
        free.splice(free.indexOf(best), 1)
        return best
      }
      if (waiting.length >= MAX_WAITING) {
        throw new HostError(503, `${MAX_WAITING} requests wait already. Try again when some have ended.`)
      }
      const { promise, resolve, reject } = Promise.withResolvers<LlamaContextSequence>()
      const leave = () => {
        waiting.splice(waiting.indexOf(waiter), 1)
        reject(signal.reason)
      }
      const waiter = (sequence: LlamaContextSequence) => {
        signal.removeEventListener('abort', leave)
        resolve(sequence)
      }
      waiting.push(waiter)
      signal.addEventListener('abort', leave, { once: true })
      return await promise
    },

    give(sequence: LlamaContextSequence): void {
      const next = waiting.shift()
      if (next) next(sequence)
      else free.push(sequence)
    },

    /** How many answer, and how many wait to. */
    load: () => ({ busy: all.length - free.length, waiting: waiting.length }),
  }
}

const inCommon = (sequence: LlamaContextSequence, tokens: Token[]): number =>
  sequence.compareContextTokens(tokens).firstDifferentIndex
