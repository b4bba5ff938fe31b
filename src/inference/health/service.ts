import { tmpdir } from 'node:os'
import { relative } from 'node:path'
import { type Engine, engineKey, type Finding } from '#engines/engine'
import type { EngineTable } from '#engines/table'
import type { StateProblem } from '../state-file'
import type { Diagnostics } from './schema'

interface Deps {
  stateDir: string
  modelDir: string
  hfHome: string
  problems: StateProblem[]
  table: Pick<EngineTable, 'all'>
  hasRemoteModel: () => boolean
}

const NOTHING_TO_SERVE =
  'No engine is available and no remote model is registered. Install an engine, or register a remote model with PUT /admin/models/{id}.'

export type HealthService = ReturnType<typeof healthService>

/** What this plane can serve, and what stands in the way. */
export function healthService({ stateDir, modelDir, hfHome, problems, table, hasRemoteModel }: Deps) {
  const look = () => Promise.all(table.all.map(async (engine) => ({ engine, finding: await engine.find() })))

  return {
    /** Not ready only when nothing at all can be served: no engine here, and no remote model registered. */
    async readiness() {
      const found = await look()
      const engines = Object.fromEntries(
        found.map(({ engine, finding }) => [engineKey(engine), readinessOf(finding)]),
      )
      if (hasRemoteModel() || found.some(({ finding }) => finding.ready))
        return { status: 'ready' as const, engines }
      const reasons = [NOTHING_TO_SERVE, ...problems.map(({ message }) => message)]
      return { status: 'not-ready' as const, reason: reasons.join(' '), engines }
    },

    diagnostics: async (): Promise<Diagnostics> => ({
      stateDir,
      modelDir,
      hfHome,
      persistent: relative(tmpdir(), stateDir).startsWith('..'),
      binaries: await Promise.all((await look()).map(binaryOf)),
      problems,
    }),
  }
}

async function binaryOf({ engine, finding }: { engine: Engine; finding: Finding }) {
  const { engine: name, modality } = engine
  if (!finding.ready) {
    return { engine: name, modality, path: null, status: 'missing' as const, builtIn: false, version: null }
  }
  const { path, builtIn = false, version } = finding
  const build = builtIn ? await engine.build?.() : null
  return { engine: name, modality, path, status: 'resolved' as const, builtIn, version: build ?? version }
}

const readinessOf = (finding: Finding) =>
  finding.ready
    ? { ready: true, reason: null }
    : { ready: false, reason: `${finding.reason} ${finding.hint}` }
