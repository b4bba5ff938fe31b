import { rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory } from '../state-file'
import { Part } from './part'
import type { Plan, PlannedFile } from './plan'

/** Where the files of a plan are on this machine. */
export function filesHere(modelDir: string, { folder, revision, files, model }: Plan) {
  const root = join(modelDir, folder)
  const finalPath = ({ to }: PlannedFile) => join(root, to)
  // Named after the content: bytes of another revision are never gone on with.
  const partPath = (file: PlannedFile) => {
    const content = (file.sha256 ?? file.gitOid ?? `${revision}-${file.size}`).replace(/[^\w-]/g, '_')
    return `${finalPath(file)}.${content.slice(0, 16)}.part`
  }

  return {
    root,
    partPath,
    /** What an engine is given. */
    weights: model === '' ? root : join(root, files[0]!.to),

    /** Bytes that need not come again. */
    async doneBytes(): Promise<number> {
      const sizes = await Promise.all(
        files.map(async (file) => (await sizeOf(partPath(file))) ?? (await sizeOf(finalPath(file))) ?? 0),
      )
      return sizes.reduce((sum, size, at) => sum + Math.min(size, files[at]!.size ?? size), 0)
    },

    /** Nobody took it away meanwhile. */
    isHere: async (file: PlannedFile): Promise<boolean> =>
      (await sizeOf(partPath(file))) !== null || (await sizeOf(finalPath(file))) !== null,

    /** Whether an earlier installation left this very file. */
    async isInPlace(file: PlannedFile, signal: AbortSignal): Promise<boolean> {
      const path = finalPath(file)
      const size = await sizeOf(path)
      if (size === null || size !== file.size || (file.sha256 ?? file.gitOid) === null) return false
      await using whole = await Part.open(path, file, signal)
      return whole.isRight()
    },

    /** Gives every file its name; one that has it already stays. */
    async settle(): Promise<void> {
      for (const file of files) {
        if ((await sizeOf(partPath(file))) !== null) await rename(partPath(file), finalPath(file))
      }
      for (const path of new Set(files.map((file) => dirname(finalPath(file))))) await syncDirectory(path)
    },

    /** Removes what is not whole, and folders that are empty then. */
    async discard(): Promise<void> {
      for (const file of files) await rm(partPath(file), { force: true })
      const folders = new Set(files.map((file) => dirname(finalPath(file))))
      for (const path of [...folders].sort((a, b) => b.length - a.length)) await removeEmpty(path, modelDir)
    },
  }
}

/** A folder with something in it stays, and so does one that is not there. */
async function removeEmpty(path: string, above: string): Promise<void> {
  for (let folder = path; folder.length > above.length; folder = dirname(folder)) {
    const isGone = await rmdir(folder).then(
      () => true,
      () => false,
    )
    if (!isGone) return
  }
}

const sizeOf = async (path: string): Promise<number | null> =>
  (await stat(path).catch(() => null))?.size ?? null
