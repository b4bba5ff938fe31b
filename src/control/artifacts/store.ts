import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '#kernel/errors'
import { newId } from '#kernel/ids'

/** What an upload is called until it is complete. */
const PART = '.part'
/** A part that old is of a process that died: no upload takes a day. */
const PART_KEPT_MS = 24 * 60 * 60 * 1000
const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG']

export type ArtifactStore = ReturnType<typeof artifactStore>

/**
 * Artifacts as files of one folder: the bytes under the ref, their type under `<ref>.type`. A name is given only to
 * what is whole and on the disk.
 */
export function artifactStore(dir: string) {
  const blobOf = (ref: string) => join(dir, ref)
  const typeOf = (ref: string) => join(dir, `${ref}.type`)

  async function find(ref: string) {
    const bytes = await sizeOf(blobOf(ref))
    if (bytes === null) return null
    const type = Bun.file(typeOf(ref))
    // Its type is written first; without one it was put there by hand.
    const contentType = (await type.exists()) ? await type.text() : 'application/octet-stream'
    return { ref, contentType, bytes, file: Bun.file(blobOf(ref), { type: contentType }) as Blob }
  }

  /** @throws {AppError} `storage_full`, or whatever `body` throws; nothing is left behind then */
  async function writePart(body: AsyncIterable<Uint8Array>): Promise<string> {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    const path = join(dir, newId() + PART)
    try {
      await using file = await open(path, 'wx', 0o600)
      for await (const chunk of body) await file.writeFile(chunk)
      await file.sync()
      return path
    } catch (error) {
      await rm(path, { force: true })
      throw FULL.includes((error as { code?: string }).code ?? '') ? full(error) : error
    }
  }

  return {
    find,

    /** Takes the bytes in under no name yet; `commit` gives them one, unless it is taken. */
    async receive(body: AsyncIterable<Uint8Array>) {
      const part = await writePart(body)
      return {
        async commit(ref: string, contentType: string) {
          const typePart = await writePart(textChunks(contentType)).catch(async (error) => {
            await rm(part, { force: true })
            throw error
          })
          // Without a break in between, so that of two uploads under one ref one is first.
          const created = !existsSync(blobOf(ref))
          if (created) {
            renameSync(typePart, typeOf(ref))
            renameSync(part, blobOf(ref))
            await syncFolder(dir)
          }
          await Promise.all([part, typePart].map((path) => rm(path, { force: true })))
          const { file, ...stored } = (await find(ref))!
          return { ...stored, created }
        },
      }
    },

    async remove(ref: string) {
      await rm(blobOf(ref), { force: true })
      await rm(typeOf(ref), { force: true })
    },

    /** Removes what uploads of a dead process left. */
    async removeAbandoned(now: number) {
      const names = await readdir(dir).catch(() => [])
      for (const name of names.filter((name) => name.endsWith(PART))) {
        const { mtimeMs } = await stat(join(dir, name)).catch(() => ({ mtimeMs: now }))
        if (now - mtimeMs > PART_KEPT_MS) await rm(join(dir, name), { force: true })
      }
    },
  }
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    const found = await stat(path)
    return found.isFile() ? found.size : null
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null
    throw error
  }
}

/** A name outlives a power failure only once its folder is written. Windows knows no such thing. */
async function syncFolder(dir: string) {
  if (process.platform === 'win32') return
  await using folder = await open(dir, 'r')
  await folder.sync()
}

async function* textChunks(text: string) {
  yield Buffer.from(text)
}

const full = (cause: unknown) =>
  new AppError(
    'storage_full',
    'There is no room left on the disk that keeps artifacts. Free some, then try again.',
    {
      cause,
    },
  )
