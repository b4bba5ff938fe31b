import { mkdir, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Machine, ManagedRegistration, Override } from '#engines/engine'
import { machineMemory } from '#engines/memory'
import { loopbackPorts } from '#engines/ports'
import type { ProcessDeps } from '#engines/process'
import { residentEngines } from '#engines/resident'
import { engineRuns } from '#engines/runs'
import { engineTable } from '#engines/table'
import type { Env } from '#kernel/env'
import type { Logger } from '#kernel/log'
import { POSSIBLE } from './catalog/fit'

interface MachineDeps {
  /** Variables that name the engines' programs. */
  overrides: Partial<Pick<Env, Override>>
  /** The process environment, for what engines get of it. */
  environment: Readonly<Record<string, string | undefined>>
  stateDir: string
  enginesDir: string
  hfHome: string
  hubToken: () => string | undefined
  /** Our own program as the host of the engines that are part of it; none of them when unset. */
  engineHost?: readonly string[]
  /** What it runs on. */
  platform?: NodeJS.Platform
  arch?: string
  /** Of an engine that computes here; as many as the machine has cores, less one, when unset. */
  threads?: number
}

interface Deps extends MachineDeps {
  /** @throws {AppError} `model_not_found` */
  registration: (id: string) => ManagedRegistration
  ceiling: number
  /** Of this machine. */
  memoryBytes: number
  guard: readonly string[]
  now: () => number
  log: Logger
  reapMs?: number
}

/** The engines of this machine: which there are, and which of them are in memory. */
export async function localEngines(options: Deps) {
  const { registration, ceiling, memoryBytes, guard, now, log, reapMs, ...deps } = options
  const tmpDir = await emptyFolder(join(deps.stateDir, 'tmp'))
  const table = engineTable(machineOf(deps, tmpDir))
  const processes: ProcessDeps = { ports: loopbackPorts(), guard, cwd: tmpDir, log }
  const resident = residentEngines({
    registration,
    plan: (model) => table.get(model.binding, model.modality).plan(model),
    run: engineRuns(processes),
    ceiling,
    memory: machineMemory(memoryBytes * POSSIBLE),
    now,
    log,
    reapMs,
  })
  return { table, resident, processes, tmpDir }
}

export const machineOf = (
  { stateDir, overrides, engineHost, threads, platform, arch, ...rest }: MachineDeps,
  tmpDir: string,
): Machine => ({
  ...rest,
  overrides: overridesIn(overrides),
  tmpDir,
  platform: platform ?? process.platform,
  arch: arch ?? process.arch,
  // One core stays free for Tycho and whoever sits at the machine.
  threads: threads ?? Math.max(1, availableParallelism() - 1),
  builtIn: engineHost && { command: engineHost, nativesDir: join(stateDir, 'engines') },
})

/** A private folder for what engines write and forget; what a process that was killed left there goes. */
async function emptyFolder(path: string): Promise<string> {
  await rm(path, { recursive: true, force: true })
  await mkdir(path, { recursive: true, mode: 0o700 })
  return path
}

function overridesIn(env: MachineDeps['overrides']): Machine['overrides'] {
  const { SERVICE_LLAMACPP_BIN, SERVICE_WHISPERCPP_BIN, SERVICE_SDCPP_BIN } = env
  const { SERVICE_MLX_AUDIO_BIN, SERVICE_MFLUX_BIN } = env
  return {
    SERVICE_LLAMACPP_BIN,
    SERVICE_WHISPERCPP_BIN,
    SERVICE_SDCPP_BIN,
    SERVICE_MLX_AUDIO_BIN,
    SERVICE_MFLUX_BIN,
  }
}
