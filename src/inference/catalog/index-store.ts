import { t } from 'elysia'
import type { Logger } from '#kernel/log'
import { firstProblem } from '../check'
import { openStateFile } from '../state-file'
import { Found } from './found'

/** The least recently seen go first. */
const MAX_MODELS = 1_000
/** A repository of more files is kept without them. */
const MAX_FILES = 300

const IndexFile = t.Object({ formatVersion: t.Literal(1), models: t.Array(Found) })

export type CatalogIndex = ReturnType<typeof catalogIndex>

/**
 * What was seen of the catalog, in `catalog.json`: for when its source cannot be reached. Read at its first use, and
 * written behind the answers; who loses it loses nothing that the source does not know.
 */
export function catalogIndex(options: { dir: string; log: Logger; now: () => number }) {
  const { log } = options
  let models: Map<string, Found> | undefined
  let opening: Promise<void> | undefined
  let file: Awaited<ReturnType<typeof openIndex>> | undefined
  let writing: Promise<void> | undefined
  let isDirty = false

  async function open() {
    file = await openIndex(options)
    models = new Map(file.value.map((one) => [one.repo, one]))
  }
  const opened = () => (opening ??= open())

  /** One write at a time; what comes meanwhile is in the next. */
  async function write() {
    while (isDirty) {
      isDirty = false
      await file!.update(() => [...models!.values()])
    }
  }

  return {
    /** The most recently seen first. */
    async all(): Promise<Found[]> {
      await opened()
      return [...models!.values()].reverse()
    },

    async find(repo: string): Promise<Found | undefined> {
      await opened()
      return models!.get(repo)
    },

    /** What a list does not tell, the files, stays as it was seen. */
    async remember(found: readonly Found[]): Promise<void> {
      await opened()
      for (const one of found) {
        const before = models!.get(one.repo)
        const { revision, files, context } = one.files ? one : (before ?? one)
        models!.delete(one.repo)
        models!.set(one.repo, {
          ...one,
          revision,
          files: files && files.length > MAX_FILES ? null : files,
          context,
        })
      }
      for (const repo of [...models!.keys()].slice(0, -MAX_MODELS)) models!.delete(repo)
      isDirty = true
      writing ??= write()
        .catch((error: unknown) => log.warn({ err: error }, 'the index of the catalog could not be written'))
        .finally(() => {
          writing = undefined
        })
    },

    /** All of it is on disk. */
    async settled(): Promise<void> {
      await writing
    },
  }
}

const openIndex = (options: { dir: string; log: Logger; now: () => number }) =>
  openStateFile<readonly Found[]>({
    ...options,
    name: 'catalog.json',
    empty: [],
    read: (content) => {
      const problem = firstProblem(IndexFile, content)
      if (problem) throw new Error(problem)
      return (content as typeof IndexFile.static).models
    },
    write: (models) => ({ formatVersion: 1, models }),
  })
