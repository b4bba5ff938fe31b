import { t } from 'elysia'
import { Nullable } from '#kernel/http/shapes'
import type { Logger } from '#kernel/log'
import { firstProblem } from '../check'
import { ManagedRegistration } from '../models/schema'
import { openStateFile } from '../state-file'
import { Plan } from './plan'
import { Install, JOB_STATUSES } from './schema'

interface Options {
  dir: string
  log: Logger
  now: () => number
}

/** Where the weights of a registered model came from. */
const Provenance = t.Object({
  repo: t.String(),
  engine: Install.properties.engine,
  variantId: t.String(),
  revision: t.String(),
})
export type Provenance = typeof Provenance.static

const InstallsFile = t.Object({
  formatVersion: t.Literal(1),
  installs: t.Record(t.String(), Provenance),
})

export type InstallStore = Awaited<ReturnType<typeof installStore>>

/** Which registered models were downloaded, and from where, in `installs.json`. */
export async function installStore(options: Options) {
  const file = await openStateFile<ReadonlyMap<string, Provenance>>({
    ...options,
    name: 'installs.json',
    empty: new Map(),
    read: (content) => {
      const problem = firstProblem(InstallsFile, content)
      if (problem) throw new Error(problem)
      return new Map(Object.entries((content as typeof InstallsFile.static).installs))
    },
    write: (installs) => ({ formatVersion: 1, installs: Object.fromEntries(installs) }),
  })

  return {
    problem: file.problem,
    find: (logicalId: string): Provenance | undefined => file.value.get(logicalId),
    all: (): [string, Provenance][] => [...file.value],
    put: (logicalId: string, from: Provenance) =>
      file.update((installs) => new Map(installs).set(logicalId, from)),
    async remove(logicalId: string): Promise<void> {
      if (!file.value.has(logicalId)) return
      await file.update((installs) => new Map([...installs].filter(([id]) => id !== logicalId)))
    },
  }
}

/** A download and installation as it is kept: what it takes to go on after a stop. */
export const JobRecord = t.Composite([
  Install,
  t.Object({
    id: t.String(),
    status: t.UnionEnum(JOB_STATUSES),
    /** Null until the source was asked, and when all is over. */
    plan: Nullable(Plan),
    /** Of an import: registered as it is, but for where the weights are. */
    binding: Nullable(ManagedRegistration),
    doneBytes: t.Integer(),
    totalBytes: Nullable(t.Integer()),
    error: Nullable(t.String()),
  }),
])
export type JobRecord = typeof JobRecord.static

const DownloadsFile = t.Object({
  formatVersion: t.Literal(1),
  /** The number of the next job; numbers are not used again. */
  next: t.Integer({ minimum: 1 }),
  jobs: t.Array(JobRecord),
})
type Downloads = Pick<typeof DownloadsFile.static, 'next' | 'jobs'>

export type JobStore = Awaited<ReturnType<typeof jobStore>>

/** Downloads, in `downloads.json`. */
export async function jobStore(options: Options) {
  const file = await openStateFile<Downloads>({
    ...options,
    name: 'downloads.json',
    empty: { next: 1, jobs: [] },
    read: (content) => {
      const problem = firstProblem(DownloadsFile, content)
      if (problem) throw new Error(problem)
      return content as Downloads
    },
    write: (downloads) => ({ ...downloads, formatVersion: 1 }),
  })
  return {
    problem: file.problem,
    value: (): Downloads => file.value,
    save: (downloads: Downloads) => file.update(() => structuredClone(downloads)),
  }
}
