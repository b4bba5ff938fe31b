import { closeSync, openSync, writeSync } from 'node:fs'
import { halfBits } from './make-tiny-numbers'

export type MetadataValue =
  | { type: 'u32' | 'f32'; value: number }
  | { type: 'bool'; value: boolean }
  | { type: 'text'; value: string }
  | { type: 'texts'; value: readonly string[] }
  | { type: 'i32s'; value: readonly number[] }

export interface Tensor {
  name: string
  /** The length of a row first. */
  shape: readonly number[]
  type: 'f32' | 'f16' | 'q8_0'
  fill(row: number, values: Float32Array): void
}

const ALIGNMENT = 32
const TENSOR_TYPE = { f32: 0, f16: 1, q8_0: 8 } as const
/** Weights of 8 bits share a scale in blocks of so many. */
const BLOCK = 32
const BLOCK_BYTES = 34
/** Rows are written in pieces of about this size. */
const PIECE_BYTES = 4 * 1024 * 1024

/** Writes a GGUF file of version 3. */
export function writeGguf(path: string, metadata: Record<string, MetadataValue>, tensors: readonly Tensor[]) {
  const file = openSync(path, 'w')
  let length = 0
  const put = (bytes: Uint8Array) => {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
    length += bytes.length
  }
  const pad = () => put(new Uint8Array(aligned(length) - length))
  put(header(metadata, tensors))
  pad()
  for (const tensor of tensors) {
    for (const piece of pieces(tensor)) put(piece)
    pad()
  }
  closeSync(file)
}

function header(metadata: Record<string, MetadataValue>, tensors: readonly Tensor[]): Uint8Array {
  const entries = Object.entries(metadata)
  const bytes = new Bytes()
    .raw(new TextEncoder().encode('GGUF'))
    .u32(3)
    .u64(tensors.length)
    .u64(entries.length)
  for (const [key, value] of entries) putValue(bytes.text(key), value)
  let offset = 0
  for (const tensor of tensors) {
    bytes.text(tensor.name).u32(tensor.shape.length)
    for (const size of tensor.shape) bytes.u64(size)
    bytes.u32(TENSOR_TYPE[tensor.type]).u64(offset)
    offset += aligned(rowBytes(tensor) * rowCount(tensor))
  }
  return bytes.all()
}

function putValue(bytes: Bytes, { type, value }: MetadataValue) {
  switch (type) {
    case 'u32':
      return bytes.u32(4).u32(value)
    case 'f32':
      return bytes.u32(6).f32(value)
    case 'bool':
      return bytes.u32(7).u8(value ? 1 : 0)
    case 'text':
      return bytes.u32(8).text(value)
    case 'texts':
      bytes.u32(9).u32(8).u64(value.length)
      for (const text of value) bytes.text(text)
      return bytes
    case 'i32s':
      bytes.u32(9).u32(5).u64(value.length)
      for (const number of value) bytes.u32(number >>> 0)
      return bytes
  }
}

function* pieces(tensor: Tensor): Generator<Uint8Array> {
  const bytesPerRow = rowBytes(tensor)
  const rows = rowCount(tensor)
  const perPiece = Math.max(1, Math.floor(PIECE_BYTES / bytesPerRow))
  const values = new Float32Array(tensor.shape[0]!)
  for (let row = 0; row < rows; row += perPiece) {
    const count = Math.min(perPiece, rows - row)
    const piece = new DataView(new ArrayBuffer(count * bytesPerRow))
    for (let i = 0; i < count; i++) {
      tensor.fill(row + i, values)
      ENCODE[tensor.type](values, piece, i * bytesPerRow)
    }
    yield new Uint8Array(piece.buffer)
  }
}

const ENCODE: Record<Tensor['type'], (values: Float32Array, into: DataView, at: number) => void> = {
  f32(values, into, at) {
    for (const [i, value] of values.entries()) into.setFloat32(at + i * 4, value, true)
  },
  f16(values, into, at) {
    for (const [i, value] of values.entries()) into.setUint16(at + i * 2, halfBits(value), true)
  },
  q8_0(values, into, at) {
    for (let block = 0; block * BLOCK < values.length; block++) {
      const part = values.subarray(block * BLOCK, (block + 1) * BLOCK)
      const scale = part.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127
      const start = at + block * BLOCK_BYTES
      into.setUint16(start, halfBits(scale), true)
      for (const [i, value] of part.entries())
        into.setInt8(start + 2 + i, scale ? Math.round(value / scale) : 0)
    }
  },
}

const aligned = (length: number) => Math.ceil(length / ALIGNMENT) * ALIGNMENT

const rowCount = ({ shape }: Tensor) => shape.slice(1).reduce((product, size) => product * size, 1)

function rowBytes({ shape: [width = 0], type }: Tensor): number {
  switch (type) {
    case 'f32':
      return width * 4
    case 'f16':
      return width * 2
    case 'q8_0':
      return (width / BLOCK) * BLOCK_BYTES
  }
}

class Bytes {
  readonly #parts: Uint8Array[] = []

  raw(part: Uint8Array) {
    this.#parts.push(part)
    return this
  }
  u8 = (value: number) => this.raw(Uint8Array.of(value))
  u32 = (value: number) => this.#number(4, (view) => view.setUint32(0, value, true))
  u64 = (value: number) => this.#number(8, (view) => view.setBigUint64(0, BigInt(value), true))
  f32 = (value: number) => this.#number(4, (view) => view.setFloat32(0, value, true))
  text(value: string) {
    const bytes = new TextEncoder().encode(value)
    return this.u64(bytes.length).raw(bytes)
  }
  all = (): Uint8Array => Buffer.concat(this.#parts)

  #number(size: number, put: (view: DataView) => void) {
    const view = new DataView(new ArrayBuffer(size))
    put(view)
    return this.raw(new Uint8Array(view.buffer))
  }
}
