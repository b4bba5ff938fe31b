import { t } from 'elysia'
import type { Logger } from '#kernel/log'
import { firstProblem } from '../check'
import { openStateFile } from '../state-file'

/** A stored number is judged when it is read, so that a narrower range of a later release does not lose the file. */
const SettingsFile = t.Object({ maxResident: t.Optional(t.Number()) })

export type SettingsStore = Awaited<ReturnType<typeof settingsStore>>

/** What was set here, in `settings.json`. */
export async function settingsStore(options: { dir: string; log: Logger; now: () => number }) {
  const file = await openStateFile<typeof SettingsFile.static>({
    ...options,
    name: 'settings.json',
    empty: {},
    read: (content) => {
      const problem = firstProblem(SettingsFile, content)
      if (problem) throw new Error(problem)
      return content as typeof SettingsFile.static
    },
    write: (values) => values,
  })

  return {
    problem: file.problem,
    maxResident: (): number | undefined => file.value.maxResident,
    setMaxResident: (maxResident: number | undefined) =>
      file.update((values) => ({ ...values, maxResident })),
  }
}
