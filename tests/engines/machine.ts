import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Machine, ManagedRegistration } from '#engines/engine'
import { loopbackPorts } from '#engines/ports'
import type { ProcessDeps } from '#engines/process'
import { silentLogger } from '#kernel/log'
import { GUARD } from './guard-program'

/** A folder of its own, which goes with the test. */
export function testFolder() {
  const path = mkdtempSync(join(tmpdir(), 'tycho-engines-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** A machine with nothing but what the test puts into the folder's `bin` and `engines`. */
export function testMachine(folder: string, changes: Partial<Machine> = {}): Machine {
  for (const name of ['bin', 'engines', 'tmp']) mkdirSync(join(folder, name), { recursive: true })
  return {
    environment: { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, HOME: folder },
    overrides: {},
    enginesDir: join(folder, 'engines'),
    tmpDir: join(folder, 'tmp'),
    hfHome: join(folder, 'hf'),
    hubToken: () => undefined,
    platform: 'linux',
    arch: 'x64',
    ...changes,
  }
}

export const testProcesses = (folder: string, changes: Partial<ProcessDeps> = {}): ProcessDeps => ({
  ports: loopbackPorts(),
  guard: GUARD,
  cwd: folder,
  log: silentLogger(),
  ...changes,
})

export const registration = (fields: Partial<ManagedRegistration> = {}): ManagedRegistration => ({
  binding: 'llamacpp',
  source: 'local-path',
  model: '/nowhere/model.gguf',
  modality: 'chat',
  params: {},
  lifecycle: { keepWarm: false, idleTimeoutSec: 900, priority: 0 },
  ...fields,
})

/** Whether a process runs; one that ended and was not collected does not. */
export async function runs(pid: number): Promise<boolean> {
  const { stdout } = Bun.spawnSync(['ps', '-o', 'stat=', '-p', `${pid}`])
  const state = stdout.toString().trim()
  return state !== '' && !state.startsWith('Z')
}

/** Waits until something is so; a test that waits in vain fails by its own time limit. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await Bun.sleep(10)
}
