import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Finding, Machine } from './engine'
import type { NativeEngine } from './host/embedded'
import { nativesVersion } from './host/natives'
import { locate, type Wanted } from './locate'
import type { Ask } from './version'

const NAMES: Record<NativeEngine, string> = { llamacpp: 'llama.cpp', whispercpp: 'whisper.cpp' }
/** Where Linux keeps libraries, besides the folder named for the processor. */
const LIBRARY_FOLDERS = ['/lib', '/usr/lib', '/lib64', '/usr/lib64', '/usr/local/lib']
const TRIPLETS: Record<string, string> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' }

/** A program of the machine, else the engine that is part of Tycho. Who names a program gets that or an error. */
export function locateOrBuiltIn(wanted: Wanted, engine: NativeEngine, machine: Machine): Finding {
  const finding = locate(wanted, machine)
  const isNamed = wanted.override !== null && machine.overrides[wanted.override] !== undefined
  return finding.ready || isNamed ? finding : builtIn(engine, machine, finding)
}

function builtIn(engine: NativeEngine, machine: Machine, missing: Finding & { ready: false }): Finding {
  if (!machine.builtIn) return missing
  const problem = problemOf(engine, machine)
  if (problem !== null) {
    const reason = `${missing.reason} The built-in ${NAMES[engine]} cannot run: ${problem.reason}`
    return { ready: false, reason, hint: problem.hint ?? missing.hint }
  }
  const program = [...machine.builtIn.command, engine]
  const version = nativesVersion(engine)
  return { ready: true, path: program[0]!, program, version, builtIn: true }
}

/** Told without loading anything: readiness is asked for often, and at every start. */
function problemOf(engine: NativeEngine, machine: Machine): { reason: string; hint?: string } | null {
  const { platform, arch } = machine
  if (nativesVersion(engine) === null) return { reason: `this Tycho has none for ${platform} ${arch}.` }
  if (platform !== 'linux') return null
  if (isMusl()) return { reason: 'it needs glibc, and this system has musl.' }
  if (engine === 'whispercpp' && !hasLibrary('libgomp.so.1', machine)) {
    return { reason: 'libgomp.so.1 is missing.', hint: 'Install libgomp (`apt install libgomp1`).' }
  }
  return null
}

/** Alpine and the like. A system with both has a loader for glibc too. */
function isMusl(): boolean {
  const loaders = ['/lib', '/lib64'].flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))
  return (
    loaders.some((name) => name.startsWith('ld-musl-')) &&
    !loaders.some((name) => name.startsWith('ld-linux'))
  )
}

function hasLibrary(name: string, { environment, arch, libraryFolders = LIBRARY_FOLDERS }: Machine): boolean {
  const named = environment.LD_LIBRARY_PATH?.split(delimiter).filter(Boolean) ?? []
  const triplet = TRIPLETS[arch] ?? ''
  const folders = [...named, ...libraryFolders, ...libraryFolders.map((folder) => join(folder, triplet))]
  return folders.some((folder) => existsSync(join(folder, name)))
}

/** What exactly a built-in engine is, with the processor that it was built for: it is loaded to tell. */
export async function builtInBuild(
  { program, version }: Finding & { ready: true },
  machine: Machine,
  ask: Ask,
): Promise<string | null> {
  const [path, ...args] = program
  const said = await ask(path!, [...args, '--version', '--natives', machine.builtIn?.nativesDir ?? ''])
  return /^version: (.+)$/m.exec(said ?? '')?.[1] ?? version
}
