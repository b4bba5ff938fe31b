import { type MetadataValue, type Tensor, writeGguf } from './make-tiny-gguf-file'
import { normalNoise, randomSign } from './make-tiny-numbers'
import { tinyVocabulary } from './make-tiny-vocabulary'

interface Size {
  layers: number
  width: number
  feedForward: number
  heads: number
  kvHeads: number
}

const CONTEXT = 4096
/** Of most of its weights: 32 bits, or 8. */
const FILE_TYPE = { Parrot: 0, Noise: 7 }

/**
 * A real model that says what it is told to, in every engine and at any temperature. Its blocks do nothing, so what
 * comes out of them is the embedding of the last token; the row of token B in the output matrix is the embedding of
 * token A for every scripted pair "after A comes B". It answers with a line of text, calls a tool when it has one
 * (`get_weather` with Paris), and thinks aloud when the template is told to (`ponder`), or in the channels of gpt-oss
 * at a high `reasoning_effort`. It ends with a real end token.
 */
export function makeParrot(path: string, line?: string) {
  const vocabulary = tinyVocabulary({ line })
  const size: Size = { layers: 2, width: 256, feedForward: 512, heads: 4, kvHeads: 4 }
  const before = new Map<number, number[]>()
  for (const [from, to] of vocabulary.edges) before.set(to, [...(before.get(to) ?? []), from])

  const embed: Tensor['fill'] = (token, values) => {
    for (let i = 0; i < values.length; i++) values[i] = randomSign(token, i)
  }
  const output: Tensor['fill'] = (token, values) => {
    values.fill(0)
    const row = new Float32Array(values.length)
    for (const from of before.get(token) ?? []) {
      embed(from, row)
      for (let i = 0; i < values.length; i++) values[i]! += row[i]!
    }
  }
  const noise = noiseOf(1)
  const blocks = blockTensors(size, 'f32', { noise, attentionOutput: zero, feedForwardOutput: zero })
  writeGguf(path, metadataOf('Parrot', size, vocabulary), [
    { name: 'token_embd.weight', shape: [size.width, vocabulary.tokens.length], type: 'f32', fill: embed },
    { name: 'output_norm.weight', shape: [size.width], type: 'f32', fill: one },
    { name: 'output.weight', shape: [size.width, vocabulary.tokens.length], type: 'f32', fill: output },
    ...blocks,
  ])
}

/** Noise of any size, for work on speed: it talks nonsense, and without end when told to be greedy. */
export function makeNoise(path: string, { words, ...size }: Size & { words: number }) {
  const vocabulary = tinyVocabulary({ words })
  const { width } = size
  const noise = noiseOf(1)
  const output = noise(3 / Math.sqrt(width))
  const tensors: Tensor[] = [
    { name: 'token_embd.weight', shape: [width, vocabulary.tokens.length], type: 'q8_0', fill: noise(1) },
    { name: 'output_norm.weight', shape: [width], type: 'f32', fill: one },
    {
      name: 'output.weight',
      shape: [width, vocabulary.tokens.length],
      type: 'q8_0',
      // Control tokens are never the likeliest, so that the end does not come by chance.
      fill: (token, values) => (vocabulary.types[token] === 1 ? output(token, values) : zero(token, values)),
    },
    ...blockTensors(size, 'q8_0', {
      noise,
      attentionOutput: noise(1 / Math.sqrt(width)),
      feedForwardOutput: noise(1 / Math.sqrt(size.feedForward)),
    }),
  ]
  writeGguf(path, metadataOf('Noise', size, vocabulary), tensors)
}

function blockTensors(
  { layers, width, feedForward, heads, kvHeads }: Size,
  type: Tensor['type'],
  fill: {
    noise: ReturnType<typeof noiseOf>
    attentionOutput: Tensor['fill']
    feedForwardOutput: Tensor['fill']
  },
): Tensor[] {
  const small = fill.noise(1 / Math.sqrt(width))
  const kvWidth = (width / heads) * kvHeads
  return Array.from({ length: layers }, (_, layer): Tensor[] => {
    const named = (
      name: string,
      shape: number[],
      fill: Tensor['fill'],
      as: Tensor['type'] = type,
    ): Tensor => ({
      name: `blk.${layer}.${name}.weight`,
      shape,
      type: as,
      fill,
    })
    return [
      named('attn_norm', [width], one, 'f32'),
      named('attn_q', [width, width], small),
      named('attn_k', [width, kvWidth], small),
      named('attn_v', [width, kvWidth], small),
      named('attn_output', [width, width], fill.attentionOutput),
      named('ffn_norm', [width], one, 'f32'),
      named('ffn_gate', [width, feedForward], small),
      named('ffn_up', [width, feedForward], small),
      named('ffn_down', [feedForward, width], fill.feedForwardOutput),
    ]
  }).flat()
}

function metadataOf(
  name: keyof typeof FILE_TYPE,
  { layers, width, feedForward, heads, kvHeads }: Size,
  vocabulary: ReturnType<typeof tinyVocabulary>,
): Record<string, MetadataValue> {
  const u32 = (value: number): MetadataValue => ({ type: 'u32', value })
  const text = (value: string): MetadataValue => ({ type: 'text', value })
  return {
    'general.architecture': text('llama'),
    'general.name': text(name),
    'general.size_label': text('tiny'),
    'general.file_type': u32(FILE_TYPE[name]),
    'llama.context_length': u32(CONTEXT),
    'llama.embedding_length': u32(width),
    'llama.block_count': u32(layers),
    'llama.feed_forward_length': u32(feedForward),
    'llama.attention.head_count': u32(heads),
    'llama.attention.head_count_kv': u32(kvHeads),
    'llama.attention.layer_norm_rms_epsilon': { type: 'f32', value: 1e-5 },
    'llama.rope.dimension_count': u32(width / heads),
    'llama.rope.freq_base': { type: 'f32', value: 10_000 },
    'llama.vocab_size': u32(vocabulary.tokens.length),
    'tokenizer.ggml.model': text('gpt2'),
    'tokenizer.ggml.pre': text('gpt-2'),
    'tokenizer.ggml.tokens': { type: 'texts', value: vocabulary.tokens },
    'tokenizer.ggml.token_type': { type: 'i32s', value: vocabulary.types },
    'tokenizer.ggml.merges': { type: 'texts', value: vocabulary.merges },
    'tokenizer.ggml.bos_token_id': u32(vocabulary.endOfText),
    'tokenizer.ggml.eos_token_id': u32(vocabulary.endOfTurn),
    'tokenizer.ggml.padding_token_id': u32(vocabulary.endOfText),
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: false },
    'tokenizer.chat_template': text(vocabulary.template),
  }
}

const noiseOf = (seed: number) => {
  const next = normalNoise(0x9e3779b9 ^ seed)
  return (deviation: number): Tensor['fill'] =>
    (_, values) => {
      for (let i = 0; i < values.length; i++) values[i] = next() * deviation
    }
}
const zero: Tensor['fill'] = (_, values) => void values.fill(0)
const one: Tensor['fill'] = (_, values) => void values.fill(1)
