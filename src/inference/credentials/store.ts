import { t } from 'elysia'
import type { Logger } from '#kernel/log'
import { firstProblem } from '../check'
import { openStateFile } from '../state-file'

const CredentialsFile = t.Record(t.String(), t.String())

export type CredentialStore = Awaited<ReturnType<typeof credentialStore>>

/** Names and their values, in `credentials.json`, readable by the owner only. */
export async function credentialStore(options: { dir: string; log: Logger; now: () => number }) {
  const file = await openStateFile<ReadonlyMap<string, string>>({
    ...options,
    name: 'credentials.json',
    empty: new Map(),
    read: (content) => {
      // To the schema a list is an object too.
      if (Array.isArray(content) || firstProblem(CredentialsFile, content))
        throw new Error('It does not map names to values.')
      return new Map(Object.entries(content as typeof CredentialsFile.static))
    },
    write: (values) => Object.fromEntries(values),
  })

  return {
    problem: file.problem,
    names: (): string[] => [...file.value.keys()].sort(),
    find: (name: string): string | undefined => file.value.get(name),
    put: (name: string, value: string) => file.update((values) => new Map(values).set(name, value)),
    /** False when there was none. */
    async remove(name: string): Promise<boolean> {
      let found = false
      await file.update((values) => {
        const rest = new Map(values)
        found = rest.delete(name)
        return rest
      })
      return found
    },
  }
}
