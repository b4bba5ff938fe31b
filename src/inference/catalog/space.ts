import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { bytesText } from '#kernel/bytes-text'
import { AppError } from '#kernel/errors'

/** A disk that is full to the brim stops more than a download. */
const KEPT_FREE_BYTES = 64 * 1024 * 1024

/** @throws {AppError} `storage_full` where the disk of `folder` cannot take so much more */
export async function checkSpace(folder: string, neededBytes: number): Promise<void> {
  const free = await freeBytes(folder)
  if (free === null || neededBytes + KEPT_FREE_BYTES <= free) return
  throw new AppError(
    'storage_full',
    `${bytesText(neededBytes)} are to be downloaded and ${bytesText(free)} are free in ${folder}. Free some, or set SERVICE_INFERENCE_PLANE_MODEL_DIR to a folder on a larger disk.`,
  )
}

/** Of the folder, or of the nearest above it that exists; `null` where the system does not tell. */
async function freeBytes(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  } catch (error) {
    const above = dirname(folder)
    if ((error as { code?: string }).code !== 'ENOENT' || above === folder) return null
    return freeBytes(above)
  }
}
