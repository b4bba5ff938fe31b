import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { evenNoise, halfBits } from './make-tiny-numbers'

/** Widths that stable-diffusion.cpp reads off the weights: one head of 128, one block of each kind, a T5 of 64. */
const WIDTH = 128
const TEXT_WIDTH = 64
const T5_WORDS = 32_128

interface Tensor {
  name: string
  shape: number[]
  /** Standard deviation of its noise; 1 fills with ones, 0 with zeros. */
  spread: number
}

/** An image model of noise in the shape of Flux: `flux`, `t5` and `taef1`, each `.safetensors`, in a folder. */
export function makeTinyFlux(folder: string) {
  const noise = evenNoise(11)
  writeSafetensors(join(folder, 'flux.safetensors'), fluxTensors(), noise)
  writeSafetensors(join(folder, 't5.safetensors'), t5Tensors(), noise)
  writeSafetensors(join(folder, 'taef1.safetensors'), taesdTensors(), noise)
}

function writeSafetensors(path: string, tensors: Tensor[], noise: () => number) {
  const header: Record<string, unknown> = {}
  let offset = 0
  for (const { name, shape } of tensors) {
    const end = offset + elements(shape) * 2
    header[name] = { dtype: 'F16', shape, data_offsets: [offset, end] }
    offset = end
  }
  const text = JSON.stringify(header)
  const padded = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8))
  const file = openSync(path, 'w')
  writeSync(file, new Uint8Array(BigUint64Array.of(BigInt(padded.length)).buffer))
  writeSync(file, padded)
  for (const { shape, spread } of tensors) {
    // Even noise of ±√3 has a deviation of 1.
    const value = () => (spread === 1 ? 1 : spread * noise() * Math.sqrt(3))
    const values = Uint16Array.from({ length: elements(shape) }, () => halfBits(spread === 0 ? 0 : value()))
    writeSync(file, new Uint8Array(values.buffer))
  }
  closeSync(file)
}

const elements = (shape: number[]) => shape.reduce((product, size) => product * size, 1)

function linear(name: string, inputs: number, outputs: number): Tensor[] {
  return [
    { name: `${name}.weight`, shape: [outputs, inputs], spread: 1 / Math.sqrt(inputs) },
    { name: `${name}.bias`, shape: [outputs], spread: 0 },
  ]
}

const queryKeyNorms = (name: string): Tensor[] =>
  ['query_norm', 'key_norm'].map((norm) => ({
    name: `${name}.norm.${norm}.scale`,
    shape: [WIDTH],
    spread: 1,
  }))

function fluxTensors(): Tensor[] {
  const streams = ['img', 'txt'].flatMap((stream) => {
    const name = `double_blocks.0.${stream}`
    return [
      ...linear(`${name}_mod.lin`, WIDTH, 6 * WIDTH),
      ...linear(`${name}_attn.qkv`, WIDTH, 3 * WIDTH),
      ...queryKeyNorms(`${name}_attn`),
      ...linear(`${name}_attn.proj`, WIDTH, WIDTH),
      ...linear(`${name}_mlp.0`, WIDTH, 4 * WIDTH),
      ...linear(`${name}_mlp.2`, 4 * WIDTH, WIDTH),
    ]
  })
  return [
    ...linear('img_in', 64, WIDTH),
    ...linear('txt_in', TEXT_WIDTH, WIDTH),
    ...linear('time_in.in_layer', 256, WIDTH),
    ...linear('time_in.out_layer', WIDTH, WIDTH),
    ...linear('vector_in.in_layer', 768, WIDTH),
    ...linear('vector_in.out_layer', WIDTH, WIDTH),
    ...streams,
    ...linear('single_blocks.0.linear1', WIDTH, 7 * WIDTH),
    ...linear('single_blocks.0.linear2', 5 * WIDTH, WIDTH),
    ...queryKeyNorms('single_blocks.0'),
    ...linear('single_blocks.0.modulation.lin', WIDTH, 3 * WIDTH),
    ...linear('final_layer.linear', WIDTH, 64),
    ...linear('final_layer.adaLN_modulation.1', WIDTH, 2 * WIDTH),
  ]
}

function t5Tensors(): Tensor[] {
  const layer = 'encoder.block.0.layer'
  const attention = ['q', 'k', 'v', 'o'].map((part) => ({
    name: `${layer}.0.SelfAttention.${part}.weight`,
    shape: [TEXT_WIDTH, TEXT_WIDTH],
    spread: 0.1,
  }))
  const feedForward = `${layer}.1.DenseReluDense`
  return [
    { name: 'shared.weight', shape: [T5_WORDS, TEXT_WIDTH], spread: 0.5 },
    { name: 'encoder.final_layer_norm.weight', shape: [TEXT_WIDTH], spread: 1 },
    ...attention,
    { name: `${layer}.0.SelfAttention.relative_attention_bias.weight`, shape: [32, 1], spread: 0.1 },
    { name: `${layer}.0.layer_norm.weight`, shape: [TEXT_WIDTH], spread: 1 },
    { name: `${layer}.1.layer_norm.weight`, shape: [TEXT_WIDTH], spread: 1 },
    { name: `${feedForward}.wi_0.weight`, shape: [128, TEXT_WIDTH], spread: 0.1 },
    { name: `${feedForward}.wi_1.weight`, shape: [128, TEXT_WIDTH], spread: 0.1 },
    { name: `${feedForward}.wo.weight`, shape: [TEXT_WIDTH, 128], spread: 0.1 },
  ]
}

/** The small autoencoder: three steps down and three up. The engine wants the encoder although it draws only. */
function taesdTensors(): Tensor[] {
  const conv = (name: string, inputs: number, outputs: number, bias = true): Tensor[] => [
    { name: `${name}.weight`, shape: [outputs, inputs, 3, 3], spread: 0.6 / Math.sqrt(inputs * 9) },
    ...(bias ? [{ name: `${name}.bias`, shape: [outputs], spread: 0.02 }] : []),
  ]
  const block = (name: string) => [0, 2, 4].flatMap((part) => conv(`${name}.conv.${part}`, 64, 64))
  const decoder = layers('decoder.layers', [
    (name) => conv(name, 16, 64),
    null,
    ...Array.from({ length: 3 }, () => [
      block,
      block,
      block,
      null,
      (name: string) => conv(name, 64, 64, false),
    ]).flat(),
    block,
    (name) => conv(name, 64, 3),
  ])
  const encoder = layers('encoder.layers', [
    (name) => conv(name, 3, 64),
    block,
    ...Array.from({ length: 3 }, () => [
      (name: string) => conv(name, 64, 64, false),
      block,
      block,
      block,
    ]).flat(),
    (name) => conv(name, 64, 16),
  ])
  return [...decoder, ...encoder]
}

/** Layers in order; `null` is one without weights, which has its number too. */
const layers = (name: string, made: (((name: string) => Tensor[]) | null)[]): Tensor[] =>
  made.flatMap((make, index) => make?.(`${name}.${index}`) ?? [])
