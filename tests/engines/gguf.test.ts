import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contextBytes, GgufError, type ReadAt, readGguf, readGgufFile } from '#engines/gguf'
import { imageWeightsProblem } from '#engines/sdcpp'
import { makeTinyFlux } from '../support/make-tiny-flux'
import { makeNoise, makeParrot } from '../support/make-tiny-gguf'
import { type MetadataValue, writeGguf } from '../support/make-tiny-gguf-file'
import { makeTinyWhisper } from '../support/make-tiny-whisper'
import { testFolder } from './machine'

const text = (value: string): MetadataValue => ({ type: 'text', value })
const tensor = (name: string) => ({ name, shape: [32], type: 'f32' as const, fill() {} })

/** Reads from memory and remembers how far. */
function source(bytes: Uint8Array): ReadAt & { readTo: number } {
  const read = Object.assign(
    async (offset: number, length: number) => {
      read.readTo = Math.max(read.readTo, offset + length)
      return bytes.subarray(offset, offset + length)
    },
    { readTo: 0 },
  )
  return read
}

test('the header of a real model says what the model is', async () => {
  using folder = testFolder()
  const path = join(folder.path, 'parrot.gguf')
  makeParrot(path)
  const header = await readGgufFile(path)
  expect(header).toMatchObject({ version: 3, architecture: 'llama', contextLength: 4096, files: 1 })
  expect(header.chatTemplate).toContain('<tool_call>')
  expect(header.metadata.get('llama.rope.freq_base')).toBe(10_000)
  expect(header.metadata.get('tokenizer.ggml.add_bos_token')).toBe(false)
  // The vocabulary stays in the file.
  expect(header.metadata.has('tokenizer.ggml.tokens')).toBe(false)
  expect(header.tensorNames).toHaveLength(3 + 2 * 9)
  expect(header.tensorNames).toContain('blk.1.ffn_down.weight')
  // Two layers, four heads of 64 for keys and as many for values, two bytes each.
  expect(contextBytes(header, 1000)).toBe(1000 * 2 * 4 * 128 * 2)
})

test('of a large file the header is read and nothing else', async () => {
  using folder = testFolder()
  const path = join(folder.path, 'noise.gguf')
  makeNoise(path, { layers: 2, width: 256, feedForward: 512, heads: 4, kvHeads: 2, words: 1_000 })
  const bytes = await Bun.file(path).bytes()
  const read = source(bytes)
  expect(await readGguf(read)).toMatchObject({ architecture: 'llama', contextLength: 4096 })
  expect(read.readTo).toBeLessThan(bytes.length / 4)
})

test('a header larger than one read is read in pieces', async () => {
  using folder = testFolder()
  const path = join(folder.path, 'words.gguf')
  const words = Array.from({ length: 60_000 }, (_, index) => `a word of the vocabulary ${index}`)
  writeGguf(
    path,
    {
      'general.architecture': text('qwen3'),
      'tokenizer.ggml.tokens': { type: 'texts', value: words },
      'qwen3.attention.head_count_kv': { type: 'i32s', value: [2, 0, 2] },
      'qwen3.context_length': { type: 'u32', value: 40_960 },
    },
    [tensor('token_embd.weight')],
  )
  const header = await readGgufFile(path)
  expect(header.contextLength).toBe(40_960)
  expect(header.metadata.get('qwen3.attention.head_count_kv')).toEqual([2, 0, 2])
  expect(header.tensorNames).toEqual(['token_embd.weight'])
})

describe('what is no GGUF file is refused', () => {
  const header = (...parts: (number | bigint | string)[]) =>
    Buffer.concat(
      parts.map((part) => {
        if (typeof part === 'string') return Buffer.from(part)
        const bytes = Buffer.alloc(typeof part === 'bigint' ? 8 : 4)
        if (typeof part === 'bigint') bytes.writeBigUInt64LE(part)
        else bytes.writeUInt32LE(part)
        return bytes
      }),
    )
  test.each([
    ['an empty file', header()],
    ['a text', header('once upon a time there was')],
    ['an old version', header('GGUF', 1, 0n, 0n)],
    ['a version of the other byte order', header('GGUF', 0x03000000, 0n, 0n)],
    ['too many entries', header('GGUF', 3, 0n, 2n ** 63n)],
    ['a key without end', header('GGUF', 3, 0n, 1n, 2n ** 40n, 'general')],
    ['an unknown type', header('GGUF', 3, 0n, 1n, 1n, 'k', 99)],
    ['a list without end', header('GGUF', 3, 0n, 1n, 1n, 'k', 9, 6, 2n ** 50n)],
    ['a list of lists', header('GGUF', 3, 0n, 1n, 1n, 'k', 9, 9, 1n)],
    ['a file cut off in its header', header('GGUF', 3, 1n, 1n, 1n, 'k', 4)],
  ])('%s', async (_, bytes) => {
    const error = await readGguf(source(bytes)).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(GgufError)
  })

  test('every cut of a good header ends with an error and not with half a header', async () => {
    using folder = testFolder()
    const path = join(folder.path, 'small.gguf')
    writeGguf(path, { 'general.architecture': text('llama') }, [tensor('a'), tensor('b')])
    const bytes = await Bun.file(path).bytes()
    const headerEnd = 4 + 4 + 8 + 8 + (8 + 20) + 4 + (8 + 5) + 2 * (8 + 1 + 4 + 8 + 4 + 8)
    for (let length = 0; length < headerEnd; length++) {
      await expect(readGguf(source(bytes.subarray(0, length)))).rejects.toThrow(GgufError)
    }
    expect((await readGguf(source(bytes.subarray(0, headerEnd)))).tensorNames).toEqual(['a', 'b'])
  })

  test('nor are the other weights that the tests make', async () => {
    using folder = testFolder()
    makeTinyWhisper(join(folder.path, 'ggml-tiny.bin'))
    makeTinyFlux(folder.path)
    for (const name of ['ggml-tiny.bin', 'flux.safetensors']) {
      await expect(readGgufFile(join(folder.path, name))).rejects.toThrow('it is not a GGUF file')
    }
    expect(Bun.file(join(folder.path, 'ggml-tiny.bin')).size).toBe(7_988_489)
  })
})

describe('image weights', () => {
  const names = async (tensorNames: string[], metadata: Record<string, MetadataValue> = {}) => {
    using folder = testFolder()
    const path = join(folder.path, 'image.gguf')
    writeGguf(path, metadata, tensorNames.map(tensor))
    return imageWeightsProblem(await readGgufFile(path))
  }

  test('with all parts are fine', async () => {
    expect(await names(['model.diffusion_model.in.weight', 'first_stage_model.decoder.weight'])).toBeNull()
  })
  test('without the part that makes pixels are incomplete', async () => {
    expect(await names(['model.diffusion_model.in.weight'])).toContain('a part of an image model only')
  })
  test('of a language model are told apart', async () => {
    expect(await names(['token_embd.weight', 'output.weight'])).toContain('language model')
  })
  test('in several files are not judged by the first', async () => {
    const split: MetadataValue = { type: 'u32', value: 3 }
    expect(await names(['model.diffusion_model.in.weight'], { 'split.count': split })).toBeNull()
  })
})

test('an unreadable file is an error of the file system', async () => {
  using folder = testFolder()
  writeFileSync(join(folder.path, 'x'), '')
  await expect(readGgufFile(join(folder.path, 'y'))).rejects.toThrow('ENOENT')
})
