import { t } from 'elysia'
import type { Logger } from '#kernel/log'
import { firstProblem } from '../check'
import { openStateFile } from '../state-file'
import { Registration } from './schema'

export interface Entry {
  logicalId: string
  binding: Registration
}

const RegistryFile = t.Object({
  formatVersion: t.Literal(1),
  models: t.Array(t.Object({ logicalId: t.String(), binding: Registration })),
})

export type RegistryStore = Awaited<ReturnType<typeof registryStore>>

/** The registrations, in `registry.json`. Lookups are of memory: one is made with every request. */
export async function registryStore(options: { dir: string; log: Logger; now: () => number }) {
  const file = await openStateFile<ReadonlyMap<string, Registration>>({
    ...options,
    name: 'registry.json',
    empty: new Map(),
    read: (content) => {
      const problem = firstProblem(RegistryFile, content)
      if (problem) throw new Error(problem)
      return byId((content as typeof RegistryFile.static).models)
    },
    write: (models) => ({ formatVersion: 1, models: entries(models) }),
  })

  return {
    problem: file.problem,
    /** In the order of their registration. */
    all: (): Entry[] => entries(file.value),
    find: (id: string): Registration | undefined => file.value.get(id),
    put: (id: string, binding: Registration) => file.update((models) => new Map(models).set(id, binding)),
    /** Adds what is not there yet; the answer tells which ids were. */
    async addMissing(added: Entry[]): Promise<string[]> {
      let kept: string[] = []
      await file.update((models) => {
        kept = added.filter(({ logicalId }) => models.has(logicalId)).map(({ logicalId }) => logicalId)
        return new Map([...models, ...byId(added.filter(({ logicalId }) => !models.has(logicalId)))])
      })
      return kept
    },
    /** False when there was none. */
    async remove(id: string): Promise<boolean> {
      let found = false
      await file.update((models) => {
        const rest = new Map(models)
        found = rest.delete(id)
        return rest
      })
      return found
    },
  }
}

const byId = (models: Entry[]): ReadonlyMap<string, Registration> =>
  new Map(models.map(({ logicalId, binding }) => [logicalId, binding]))

const entries = (models: ReadonlyMap<string, Registration>): Entry[] =>
  [...models].map(([logicalId, binding]) => ({ logicalId, binding }))
