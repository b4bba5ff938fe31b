import { closeSync, openSync, writeSync } from 'node:fs'
import { evenNoise, halfBits, randomSign } from './make-tiny-numbers'

const MAGIC = 0x67676d6c
const WORDS = 51_864
const AUDIO_CONTEXT = 1500
const TEXT_CONTEXT = 448
const WIDTH = 64
const MELS = 80
const FREQUENCIES = 201
/** Ids of the models that know English only. */
const END = 50_256
const FIRST_TIMESTAMP = 50_363

/**
 * A whisper model, English only, that hears the same words in every recording. The blocks of its decoder do nothing,
 * so what comes out at a position is the embedding of the token plus that of the position, and the latter is the large
 * embedding of the token that the script wants there.
 */
export function makeTinyWhisper(path: string, text = ' Hello from a tiny whisper.') {
  const file = openSync(path, 'w')
  const put = (bytes: Uint8Array) => void writeSync(file, bytes)
  const int32 = (...values: number[]) => put(new Uint8Array(Int32Array.from(values).buffer))

  int32(MAGIC, WORDS, AUDIO_CONTEXT, WIDTH, 1, 1, TEXT_CONTEXT, WIDTH, 1, 1, MELS, 1)
  int32(MELS, FREQUENCIES)
  put(melFilters())
  const words = text.match(/\s?\S+/g) ?? []
  const vocabulary = vocabularyOf(words)
  int32(vocabulary.length)
  put(Buffer.concat(vocabulary.flatMap((word) => [new Uint8Array(Int32Array.of(word.length).buffer), word])))
  for (const tensor of tensors(script(words.map((_, index) => 256 + index)))) {
    const name = new TextEncoder().encode(tensor.name)
    int32(tensor.shape.length, name.length, tensor.half ? 1 : 0, ...tensor.shape)
    put(name)
    put(numbers(tensor))
  }
  closeSync(file)
}

interface Tensor {
  name: string
  shape: number[]
  half: boolean
  fill: (index: number) => number
}

function numbers({ shape, half, fill }: Tensor): Uint8Array {
  const length = shape.reduce((product, size) => product * size, 1)
  const values = half
    ? Uint16Array.from({ length }, (_, i) => halfBits(fill(i)))
    : Float32Array.from({ length }, (_, i) => fill(i))
  return new Uint8Array(values.buffer)
}

function melFilters(): Uint8Array {
  const filters = new Float32Array(MELS * FREQUENCIES)
  for (let mel = 0; mel < MELS; mel++) {
    for (let k = 0; k < 4; k++) {
      filters[mel * FREQUENCIES + Math.min(FREQUENCIES - 1, Math.floor(mel * 2.4) + k)] = 0.01
    }
  }
  return new Uint8Array(filters.buffer)
}

/** Bytes, the words of the script, and fillers; the ids above are implied. */
function vocabularyOf(words: string[]): Uint8Array[] {
  const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))
  const encoder = new TextEncoder()
  const vocabulary = [...bytes, ...words.map((word) => encoder.encode(word))]
  while (vocabulary.length <= END) vocabulary.push(encoder.encode(`~${vocabulary.length}`))
  return vocabulary
}

/** For every position the tokens wanted there, with their weights. */
function script(ids: number[]): [token: number, weight: number][][] {
  const closing = FIRST_TIMESTAMP + Math.max(50, ids.length * 10)
  return Array.from({ length: TEXT_CONTEXT }, (_, position) => {
    if (position === 0)
      return [
        [FIRST_TIMESTAMP, 1],
        [ids[0]!, 0.5],
      ]
    if (position <= ids.length) return [[ids[position - 1]!, 1]]
    // A closing timestamp, or the end where timestamps are off.
    if (position === ids.length + 1)
      return [
        [closing, 1],
        [END, 0.9],
      ]
    return [[END, 1]]
  })
}

function* tensors(wanted: ReturnType<typeof script>): Generator<Tensor> {
  const noise = evenNoise(7)
  const small = () => noise() * 0.05
  const plain = (name: string, shape: number[], fill: Tensor['fill']) => ({ name, shape, half: false, fill })
  const half = (name: string, shape: number[], fill: Tensor['fill']) => ({ name, shape, half: true, fill })

  function* norm(name: string): Generator<Tensor> {
    yield plain(`${name}.weight`, [WIDTH], one)
    yield plain(`${name}.bias`, [WIDTH], zero)
  }
  function* attention(name: string): Generator<Tensor> {
    for (const part of ['query', 'key', 'value', 'out']) {
      yield half(`${name}.${part}.weight`, [WIDTH, WIDTH], part === 'out' ? zero : small)
      if (part !== 'key') yield plain(`${name}.${part}.bias`, [WIDTH], zero)
    }
  }
  function* block(name: string, crosses: boolean): Generator<Tensor> {
    yield* norm(`${name}.mlp_ln`)
    yield half(`${name}.mlp.0.weight`, [WIDTH, 4 * WIDTH], small)
    yield plain(`${name}.mlp.0.bias`, [4 * WIDTH], zero)
    yield half(`${name}.mlp.2.weight`, [4 * WIDTH, WIDTH], zero)
    yield plain(`${name}.mlp.2.bias`, [WIDTH], zero)
    yield* norm(`${name}.attn_ln`)
    yield* attention(`${name}.attn`)
    if (!crosses) return
    yield* norm(`${name}.cross_attn_ln`)
    yield* attention(`${name}.cross_attn`)
  }

  yield plain('encoder.positional_embedding', [WIDTH, AUDIO_CONTEXT], small)
  for (const [name, inputs] of [
    ['encoder.conv1', MELS],
    ['encoder.conv2', WIDTH],
  ] as const) {
    yield half(`${name}.weight`, [3, inputs, WIDTH], small)
    yield plain(`${name}.bias`, [1, WIDTH], zero)
  }
  yield* block('encoder.blocks.0', false)
  yield* norm('encoder.ln_post')
  yield plain('decoder.positional_embedding', [WIDTH, TEXT_CONTEXT], (index) => {
    const pairs = wanted[Math.floor(index / WIDTH)]!
    return pairs.reduce((sum, [token, weight]) => sum + 20 * weight * randomSign(token, index % WIDTH), 0)
  })
  yield half('decoder.token_embedding.weight', [WIDTH, WORDS], (index) =>
    randomSign(Math.floor(index / WIDTH), index % WIDTH),
  )
  yield* block('decoder.blocks.0', true)
  yield* norm('decoder.ln')
}

const zero = () => 0
const one = () => 1
