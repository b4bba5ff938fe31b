import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { SourceFile } from './found'

const READ_BYTES = 1024 * 1024

/**
 * A file that is still being downloaded: its bytes so far and their digest. What another process left there is read once,
 * so that the digest covers it.
 */
export class Part implements AsyncDisposable {
  #hash: Hash
  #length = 0

  private constructor(
    private readonly handle: FileHandle,
    private readonly file: SourceFile,
  ) {
    this.#hash = newHash(file)
  }

  static async open(path: string, file: SourceFile, signal: AbortSignal): Promise<Part> {
    await mkdir(dirname(path), { recursive: true })
    const part = new Part(await open(path, 'a+'), file)
    try {
      await part.#readBack(signal)
      return part
    } catch (error) {
      await part.handle.close()
      throw error
    }
  }

  /** Bytes that are here. */
  get length(): number {
    return this.#length
  }

  async append(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.handle.write(bytes, done)
      this.#hash.update(bytes.subarray(done, done + bytesWritten))
      this.#length += bytesWritten
      done += bytesWritten
    }
  }

  /** Forgets what is here. */
  async restart(): Promise<void> {
    await this.handle.truncate(0)
    this.#hash = newHash(this.file)
    this.#length = 0
  }

  /** Whether the bytes are those that the source promised; one that promises nothing is believed. */
  isRight(): boolean {
    const { size, sha256, gitOid } = this.file
    if (size !== null && size !== this.#length) return false
    const promised = sha256 ?? gitOid
    return promised === null || this.#hash.copy().digest('hex') === promised.toLowerCase()
  }

  /** On disk, also after a power cut. */
  sync(): Promise<void> {
    return this.handle.sync()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.handle.close()
  }

  async #readBack(signal: AbortSignal) {
    const piece = new Uint8Array(READ_BYTES)
    for (;;) {
      signal.throwIfAborted()
      const { bytesRead } = await this.handle.read(piece, 0, piece.length, this.#length)
      if (bytesRead === 0) return
      this.#hash.update(piece.subarray(0, bytesRead))
      this.#length += bytesRead
    }
  }
}

/** Git names small files by the SHA-1 of a header with their length, and their content. */
function newHash({ sha256, gitOid, size }: SourceFile): Hash {
  if (sha256 !== null || gitOid === null) return createHash('sha256')
  return createHash('sha1').update(`blob ${size}\0`)
}
