import type { Llama, LlamaGrammar } from 'node-llama-cpp'
import { invalid } from '../http'

/** An application asks for the same few schemas over and over. */
const MAX_KEPT = 32

/** Grammars that were parsed already. */
export function grammarCache(llama: Llama) {
  const kept = new Map<string, LlamaGrammar>()
  return {
    /** @throws {HostError} 400 */
    async get(text: string): Promise<LlamaGrammar> {
      const grammar = kept.get(text) ?? (await parsed(llama, text))
      kept.delete(text)
      kept.set(text, grammar)
      if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!)
      return grammar
    },
  }
}

async function parsed(llama: Llama, grammar: string): Promise<LlamaGrammar> {
  try {
    return await llama.createGrammar({ grammar })
  } catch (error) {
    throw invalid(`The JSON schema makes no grammar: ${(error as Error).message}`)
  }
}
