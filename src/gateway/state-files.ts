import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { tryParse } from '#kernel/json'

const DIR_MODE = 0o700
const FILE_MODE = 0o600
const KEY_BYTES = 32

export type StateFiles = ReturnType<typeof stateFiles>

/** The gateway's folder: small files that are read at the start and written whole, readable by the owner only. */
export function stateFiles(dir: string) {
  ownFolder(dir)

  return {
    dir,

    /** What a file holds, or undefined where it is missing or no JSON: then it is asked for again. */
    read<T>(name: string): T | undefined {
      const path = join(dir, name)
      return existsSync(path) ? (tryParse(readFileSync(path, 'utf8')) as T | undefined) : undefined
    },

    write(name: string, value: unknown) {
      writeWhole(join(dir, name), JSON.stringify(value))
    },

    remove(name: string) {
      rmSync(join(dir, name), { force: true })
    },

    /** A secret of this machine, made at the first question: it seals the organization's key and hides device ids. */
    machineKey(): string {
      const path = join(dir, 'machine.key')
      if (!existsSync(path)) writeWhole(path, randomBytes(KEY_BYTES).toString('base64url'))
      return readFileSync(path, 'utf8').trim()
    },
  }
}

export function ownFolder(dir: string) {
  mkdirSync(dir, { recursive: true, mode: DIR_MODE })
  // The mode above counts only for a new folder.
  chmodSync(dir, DIR_MODE)
}

/** A reader sees the old file or the new one, also after a power cut: the bytes are on disk before the name moves. */
export function writeWhole(path: string, text: string) {
  const draft = `${path}.tmp`
  const file = openSync(draft, 'w', FILE_MODE)
  try {
    fchmodSync(file, FILE_MODE)
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, path)
  syncFolder(dirname(path))
}

/** Windows cannot open a folder to sync it, and its file system does not need it. */
function syncFolder(dir: string) {
  if (process.platform === 'win32') return
  const folder = openSync(dir, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
