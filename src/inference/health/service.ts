import { tmpdir } from 'node:os'
import { relative } from 'node:path'
import type { StateProblem } from '../state-file'
import { LAUNCHERS, launcherName } from './launchers'
import type { Diagnostics } from './schema'

interface Deps {
  stateDir: string
  modelDir: string
  hfHome: string
  problems: StateProblem[]
  hasRemoteModel: () => boolean
}

const NOTHING_TO_SERVE =
  'No engine is available and no remote model is registered. Register one with PUT /admin/models/{id}.'

export type HealthService = ReturnType<typeof healthService>

/** What this plane can serve, and what stands in the way. */
export function healthService({ stateDir, modelDir, hfHome, problems, hasRemoteModel }: Deps) {
  const engines = Object.fromEntries(
    LAUNCHERS.map((launcher) => [
      launcherName(launcher),
      {
        ready: false,
        reason: `This release starts no local engines yet. They will need ${launcher.program}. ${launcher.install}`,
      },
    ]),
  )

  return {
    /** Not ready only when nothing at all can be served: no engine here, and no remote model registered. */
    readiness() {
      if (hasRemoteModel()) return { status: 'ready' as const, engines }
      const reasons = [NOTHING_TO_SERVE, ...problems.map(({ message }) => message)]
      return { status: 'not-ready' as const, reason: reasons.join(' '), engines }
    },

    diagnostics: (): Diagnostics => ({
      stateDir,
      modelDir,
      hfHome,
      persistent: relative(tmpdir(), stateDir).startsWith('..'),
      binaries: LAUNCHERS.map(({ engine, modality }) => ({
        engine,
        modality,
        path: null,
        status: 'missing',
      })),
      problems,
    }),
  }
}
