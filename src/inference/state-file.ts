import { chmod, mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '#kernel/log'

/** Readable by the owner only: the folder's files hold keys of providers. */
const DIR_MODE = 0o700
const FILE_MODE = 0o600

/** A file that could not be read, where it was put, and what that means. */
export interface StateProblem {
  file: string
  keptAs: string | null
  message: string
}

/** One JSON file of the plane's state: read once, kept in memory, written whole and atomically. */
export interface StateFile<T> {
  readonly value: T
  readonly problem: StateProblem | null
  /** One change at a time; the new value is seen once it is on disk. Throwing inside `change` leaves all as it was. */
  update(change: (current: T) => T): Promise<T>
}

interface Options<T> {
  dir: string
  name: string
  empty: T
  /** What the content of the file means; throws where it means nothing. */
  read: (content: unknown) => T
  /** The content that means `value`. */
  write: (value: T) => unknown
  log: Logger
  now: () => number
}

/** Opens a state file. One that is missing is empty; one that cannot be read is put aside, loudly, never overwritten. */
export async function openStateFile<T>({
  dir,
  name,
  empty,
  read,
  write,
  log,
  now,
}: Options<T>): Promise<StateFile<T>> {
  const path = join(dir, name)
  await mkdir(dir, { recursive: true, mode: DIR_MODE })
  let value = empty
  let problem: StateProblem | null = null
  const text = await readFile(path, 'utf8').catch(absent)
  if (text !== null) {
    await chmod(path, FILE_MODE)
    try {
      value = read(JSON.parse(text))
    } catch (error) {
      const keptAs = `${path}.corrupt-${new Date(now()).toISOString().replaceAll(':', '')}`
      await rename(path, keptAs)
      problem = {
        file: path,
        keptAs,
        message: `${name} could not be read and was put aside; the plane started without it. ${reasonOf(error)}`,
      }
      log.error(problem, 'a state file could not be read: it was put aside, and the plane starts without it')
    }
  }

  let last: Promise<unknown> = Promise.resolve()
  return {
    get value() {
      return value
    },
    problem,
    update(change) {
      const next = last.then(async () => {
        const changed = change(value)
        await writeWhole(dir, path, JSON.stringify(write(changed), null, 2))
        value = changed
        return changed
      })
      // A write that failed is its caller's to hear of; the next one goes on.
      last = next.catch(() => undefined)
      return next
    },
  }
}

/** A reader sees the old file or the new one, also after a power cut: the bytes are on disk before the name moves. */
async function writeWhole(dir: string, path: string, text: string) {
  const draft = `${path}.tmp`
  const file = await open(draft, 'w', FILE_MODE)
  try {
    // The mode above counts only for a new file: a draft left by a crash could have another.
    await file.chmod(FILE_MODE)
    await file.writeFile(`${text}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  await syncDirectory(dir)
}

/** Names in it are on disk. Windows cannot open a folder to sync it, and its file system does not need it. */
export async function syncDirectory(dir: string) {
  if (process.platform === 'win32') return
  const folder = await open(dir, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** A parser's own words quote the text, which may be a key. */
const reasonOf = (error: unknown) =>
  error instanceof SyntaxError ? 'It is not JSON.' : (error as Error).message

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
