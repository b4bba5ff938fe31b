import {
  type LlamaContextSequence,
  type LlamaGrammar,
  LlamaGrammarEvaluationState,
  type LlamaModel,
  type SequenceEvaluateOptions,
  type Token,
} from 'node-llama-cpp'
import { BATCH } from './model'
import type { Sampling } from './sampling'

interface Options {
  model: LlamaModel
  sampling: Sampling
  grammar: LlamaGrammar | null
  /** Goes on after the end that the model wants. */
  ignoreEnd: boolean
  /** The library takes it for the end of the answer, and it is that of one message of several. */
  endOfMessage: Token | null
  signal: AbortSignal
}

/**
 * Makes a sequence forget what is not in the prompt. Resolves with how many tokens of the prompt it knows, which are not
 * read again; the last is in any case, because what comes after it is asked for.
 */
export async function recall(sequence: LlamaContextSequence, prompt: Token[]): Promise<number> {
  await sequence.adaptStateToTokens(prompt.slice(0, -1), false)
  return sequence.nextTokenIndex
}

/**
 * The tokens that follow upon a prompt, one by one, until the model ends; the sequence has recalled the prompt. It never
 * runs into the end of the context: there the engine would forget the beginning of the prompt without a word, so the
 * caller takes no more tokens than fit.
 */
export async function* generate(
  sequence: LlamaContextSequence,
  prompt: Token[],
  { model, sampling, grammar, ignoreEnd, endOfMessage, signal }: Options,
): AsyncGenerator<Token> {
  let rest = prompt.slice(sequence.nextTokenIndex)
  while (rest.length > BATCH) {
    signal.throwIfAborted()
    await sequence.evaluateWithoutGeneratingNewTokens(rest.slice(0, BATCH))
    rest = rest.slice(BATCH)
  }
  const recent: Token[] = []
  const tokens = sequence.evaluateWithMetadata(
    rest,
    {},
    {
      ...samplingOptions(sampling, recent),
      ...(grammar && { grammarEvaluationState: new LlamaGrammarEvaluationState({ model, grammar }) }),
      yieldEogToken: true,
    },
  )
  for await (const { token } of tokens) {
    signal.throwIfAborted()
    if (!ignoreEnd && token !== endOfMessage && model.isEogToken(token)) return
    recent.push(token)
    if (recent.length > sampling.repeatLastN) recent.shift()
    yield token
  }
}

function samplingOptions(sampling: Sampling, recent: Token[]): SequenceEvaluateOptions {
  const { temperature, topK, topP, minP, seed, repeatLastN } = sampling
  const { repeatPenalty: penalty, frequencyPenalty, presencePenalty } = sampling
  const punishes = penalty !== 1 || frequencyPenalty !== 0 || presencePenalty !== 0
  return {
    temperature,
    topK,
    topP,
    minP,
    seed,
    ...(punishes && {
      repeatPenalty: {
        punishTokens: () => recent,
        maxPunishTokens: repeatLastN,
        penalty,
        frequencyPenalty,
        presencePenalty,
      },
    }),
  }
}
