import { open } from 'node:fs/promises'

/** The vocabulary is in the header: 150,000 words take about 8 MiB of it. Larger ones are no header. */
const MAX_HEADER_BYTES = 64 * 1024 * 1024
const FIRST_READ_BYTES = 256 * 1024
const READ_GROWTH = 4
/** What makes a header large; what describes the model stands before it. */
const VOCABULARY = 'tokenizer.ggml.tokens'
/** Chat templates are the longest texts worth keeping; words and merges are passed over. */
const MAX_KEPT_CHARS = 1024 * 1024
const MAX_KEPT_NUMBERS = 4096
const MAX_ENTRIES = 200_000
/** Keys and tensor names; the format's own limit for a key. */
const MAX_NAME_BYTES = 65_535
/** llama.cpp keeps keys and values of attention in 16 bits unless told otherwise. */
const CACHE_BYTES_PER_VALUE = 2

type Value = number | boolean | string | readonly number[]

export interface GgufHeader {
  version: number
  /** `llama`, `qwen3`, `bert`, …; empty where it is not said, as in many image models. */
  architecture: string
  /** What the model was trained with, in tokens. */
  contextLength: number | null
  chatTemplate: string | null
  /** Numbers, texts and short lists of numbers. Lists of texts (the vocabulary) are left out. */
  metadata: ReadonlyMap<string, Value>
  tensorNames: readonly string[]
  /** Of how many files this is the first; its tensors are spread over all of them. */
  files: number
}

/** Reads bytes at an offset of a file, wherever it is: fewer only where the file ends. */
export type ReadAt = (offset: number, length: number) => Promise<Uint8Array>

/** The file is not a GGUF file, is cut off within its header, or is of a version we do not know. */
export class GgufError extends Error {}

/**
 * Reads the header and nothing else, in a few growing reads: the rest of the file may be on another machine. `until` the
 * vocabulary it is a small part of that: the shape of the model, without chat template and tensors.
 */
export async function readGguf(
  readAt: ReadAt,
  { until }: { until?: 'vocabulary' } = {},
): Promise<GgufHeader> {
  let bytes = new Uint8Array(0)
  for (let wanted = FIRST_READ_BYTES; wanted <= MAX_HEADER_BYTES; wanted *= READ_GROWTH) {
    const missing = wanted - bytes.length
    const more = await readAt(bytes.length, missing)
    const all = new Uint8Array(bytes.length + more.length)
    all.set(bytes)
    all.set(more, bytes.length)
    bytes = all
    const header = parse(bytes, until === 'vocabulary' ? VOCABULARY : null)
    if (header) return header
    if (more.length < missing) throw new GgufError('the file ends within its header')
  }
  throw new GgufError(`its header is larger than ${MAX_HEADER_BYTES} bytes`)
}

/** The header of a file on this machine. @throws {GgufError} and what the file system throws */
export async function readGgufFile(path: string): Promise<GgufHeader> {
  await using file = await open(path)
  return await readGguf(async (offset, length) => {
    const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, offset)
    return buffer.subarray(0, bytesRead)
  })
}

/**
 * Memory that a context of so many tokens takes beside the weights: keys and values of every layer. `null` where the
 * header does not say enough. Too high for models with sliding windows, which is the safe side.
 */
export function contextBytes({ architecture, metadata }: GgufHeader, tokens: number): number | null {
  const number = (key: string) => {
    const value = metadata.get(`${architecture}.${key}`)
    return typeof value === 'number' ? value : undefined
  }
  const layers = number('block_count')
  const heads = number('attention.head_count')
  const width = number('embedding_length')
  if (layers === undefined || width === undefined) return null
  const perHead = heads ? width / heads : width
  const perToken = (number('attention.key_length') ?? perHead) + (number('attention.value_length') ?? perHead)
  const listed = metadata.get(`${architecture}.attention.head_count_kv`)
  // Some models say it for every layer, with none where a layer has no attention.
  const cachedHeads = Array.isArray(listed)
    ? listed.reduce((sum, count) => sum + count, 0)
    : layers * (typeof listed === 'number' ? listed : (heads ?? 1))
  return tokens * cachedHeads * perToken * CACHE_BYTES_PER_VALUE
}

/** Signals inside `parse` that the header goes on beyond the bytes at hand. */
class MoreNeeded extends Error {}

/** `null` where the header goes on beyond these bytes. */
function parse(bytes: Uint8Array, lastKey: string | null): GgufHeader | null {
  try {
    return parseWhole(new Cursor(bytes), lastKey)
  } catch (error) {
    if (error instanceof MoreNeeded) return null
    throw error
  }
}

function parseWhole(cursor: Cursor, lastKey: string | null): GgufHeader {
  if (cursor.u32() !== 0x46554747) throw new GgufError('it is not a GGUF file')
  const version = cursor.u32()
  if (version !== 2 && version !== 3) throw new GgufError(`GGUF version ${version} is not known`)
  const tensors = cursor.count(MAX_ENTRIES)
  const entries = cursor.count(MAX_ENTRIES)
  const metadata = new Map<string, Value>()
  let isCut = false
  for (let i = 0; i < entries; i++) {
    const key = cursor.text(MAX_NAME_BYTES)
    isCut = key === lastKey
    if (isCut) break
    const value = cursor.value(cursor.u32())
    if (value !== undefined) metadata.set(key, value)
  }
  const tensorNames: string[] = []
  for (let i = 0; i < tensors && !isCut; i++) {
    tensorNames.push(cursor.text(MAX_NAME_BYTES))
    // Dimensions, then the type of its numbers and where they begin.
    cursor.skip(cursor.u32() * 8 + 4 + 8)
  }
  const text = (key: string) => {
    const value = metadata.get(key)
    return typeof value === 'string' ? value : null
  }
  const architecture = text('general.architecture') ?? ''
  const contextLength = metadata.get(`${architecture}.context_length`)
  const files = metadata.get('split.count')
  return {
    version,
    architecture,
    contextLength: typeof contextLength === 'number' && contextLength > 0 ? contextLength : null,
    chatTemplate: text('tokenizer.chat_template'),
    metadata,
    tensorNames,
    files: typeof files === 'number' && files > 0 ? files : 1,
  }
}

/** Value types of the format, by number. */
const TEXT = 8
const LIST = 9
const NUMBERS: Record<number, { bytes: number; read: (view: DataView, at: number) => number | boolean }> = {
  0: { bytes: 1, read: (view, at) => view.getUint8(at) },
  1: { bytes: 1, read: (view, at) => view.getInt8(at) },
  2: { bytes: 2, read: (view, at) => view.getUint16(at, true) },
  3: { bytes: 2, read: (view, at) => view.getInt16(at, true) },
  4: { bytes: 4, read: (view, at) => view.getUint32(at, true) },
  5: { bytes: 4, read: (view, at) => view.getInt32(at, true) },
  6: { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  7: { bytes: 1, read: (view, at) => view.getUint8(at) !== 0 },
  10: { bytes: 8, read: (view, at) => Number(view.getBigUint64(at, true)) },
  11: { bytes: 8, read: (view, at) => Number(view.getBigInt64(at, true)) },
  12: { bytes: 8, read: (view, at) => view.getFloat64(at, true) },
}

class Cursor {
  #at = 0
  readonly #view: DataView

  constructor(private readonly bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** Moves on, and tells where it was. */
  skip(length: number): number {
    const start = this.#at
    const end = start + length
    if (!(end <= MAX_HEADER_BYTES)) throw new GgufError('a length in its header is impossible')
    if (end > this.bytes.length) throw new MoreNeeded()
    this.#at = end
    return start
  }

  u32(): number {
    return this.#view.getUint32(this.skip(4), true)
  }

  count(most: number): number {
    const count = Number(this.#view.getBigUint64(this.skip(8), true))
    if (count > most) throw new GgufError('a count in its header is impossible')
    return count
  }

  text(most: number): string {
    const length = this.count(most)
    const start = this.skip(length)
    return new TextDecoder().decode(this.bytes.subarray(start, start + length))
  }

  /** `undefined` for what is passed over. */
  value(type: number): Value | undefined {
    if (type === TEXT) return this.#keptText()
    if (type === LIST) return this.#list()
    return this.#number(type)
  }

  #number(type: number): number | boolean {
    const number = NUMBERS[type]
    if (!number) throw new GgufError(`a value in its header is of the unknown type ${type}`)
    return number.read(this.#view, this.skip(number.bytes))
  }

  #keptText(): string | undefined {
    const length = this.count(MAX_HEADER_BYTES)
    const start = this.skip(length)
    if (length > MAX_KEPT_CHARS) return undefined
    return new TextDecoder().decode(this.bytes.subarray(start, start + length))
  }

  #list(): readonly number[] | undefined {
    const type = this.u32()
    const length = this.count(MAX_HEADER_BYTES)
    if (type === LIST) throw new GgufError('a list of lists in its header is not known')
    if (type === TEXT) {
      for (let i = 0; i < length; i++) this.skip(this.count(MAX_HEADER_BYTES))
      return undefined
    }
    const number = NUMBERS[type]
    if (!number) throw new GgufError(`a list in its header is of the unknown type ${type}`)
    if (length > MAX_KEPT_NUMBERS) {
      this.skip(length * number.bytes)
      return undefined
    }
    return Array.from({ length }, () => Number(this.#number(type)))
  }
}
