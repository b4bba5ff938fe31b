import { invalid } from '../http'

/** How the next token is chosen; names and defaults are llama-server's. */
export interface Sampling {
  temperature: number
  topK: number
  topP: number
  minP: number
  seed: number
  repeatPenalty: number
  frequencyPenalty: number
  presencePenalty: number
  /** Tokens back from the end that penalties look at. */
  repeatLastN: number
}

const MAX_SEED = 2 ** 32

/** @throws {HostError} 400 naming the field */
export function samplingOf(body: Record<string, unknown>): Sampling {
  const number = (name: string, fallback: number, low: number, high: number): number => {
    const value = body[name] ?? fallback
    if (typeof value === 'number' && value >= low && value <= high) return value
    throw invalid(`${name}: must be a number from ${low} to ${high}.`)
  }
  return {
    temperature: number('temperature', 0.8, 0, 100),
    topK: Math.trunc(number('top_k', 40, 0, 1_000_000)),
    topP: number('top_p', 0.95, 0, 1),
    minP: number('min_p', 0.05, 0, 1),
    seed: seedOf(body.seed),
    repeatPenalty: number('repeat_penalty', 1, 0, 10),
    frequencyPenalty: number('frequency_penalty', 0, -2, 2),
    presencePenalty: number('presence_penalty', 0, -2, 2),
    repeatLastN: Math.trunc(number('repeat_last_n', 64, 0, 4096)),
  }
}

/** Any whole number names a seed; -1 and none ask for a new one. */
function seedOf(seed: unknown): number {
  if (seed === undefined || seed === null || seed === -1) return Math.floor(Math.random() * MAX_SEED)
  if (!Number.isSafeInteger(seed)) throw invalid('seed: must be a whole number.')
  return (((seed as number) % MAX_SEED) + MAX_SEED) % MAX_SEED
}
