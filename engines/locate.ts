import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, sep } from 'node:path'
import type { Finding, Machine, Override } from './engine'
import { searchPath } from './environment'

/** Releases put the program at the top, in `bin` (also of a Python environment), or where they were built. */
const PLACES = ['', 'bin', join('build', 'bin'), 'Scripts']

export interface Wanted {
  /** Names of the program, the best first. */
  names: readonly string[]
  /** The variable that names it instead, where there is one. */
  override: Override | null
  /** The folder of the engine below `<data>/engines`. */
  folder: string
  hint: string
}

/**
 * Looks for a program: the override variable, then the data folder, then PATH. An override that names nothing is an
 * error and not a reason to look on: whoever set it would get another engine than the one they asked for.
 */
export function locate(wanted: Wanted, machine: Machine): Finding {
  const { names, override, folder, hint } = wanted
  const named = override === null ? undefined : machine.overrides[override]
  if (override !== null && named !== undefined) return locateNamed(named, override, machine)
  const ownFolder = join(machine.enginesDir, folder)
  for (const name of names) {
    const path = inFolder(name, ownFolder) ?? onPath(name, machine)
    if (path) return found(path)
  }
  return {
    ready: false,
    reason: `${names[0]} was not found in ${ownFolder} or on the PATH.`,
    hint: override === null ? hint : `${hint} Or name it with ${override}.`,
  }
}

function locateNamed(named: string, override: Override, machine: Machine): Finding {
  const path = isPath(named) ? named : onPath(named, machine)
  const problem = path === null ? 'no program of that name is on the PATH' : problemOf(path)
  if (path !== null && problem === null) return found(path)
  return {
    ready: false,
    reason: `${override} is ${named}, but ${problem}.`,
    hint: `Correct or unset ${override}.`,
  }
}

/** The first program of that name on the PATH. */
export const onPath = (name: string, { environment }: Pick<Machine, 'environment'>): string | null =>
  Bun.which(name, { PATH: searchPath(environment) || delimiter })

function inFolder(name: string, folder: string): string | null {
  const file = process.platform === 'win32' ? `${name}.exe` : name
  return PLACES.map((place) => join(folder, place, file)).find((path) => problemOf(path) === null) ?? null
}

const found = (path: string): Finding => ({ ready: true, path, program: [path], version: null })

const isPath = (text: string): boolean => isAbsolute(text) || text.includes(sep) || text.includes('/')

function problemOf(path: string): string | null {
  try {
    if (!statSync(path).isFile()) return 'that is no program'
    accessSync(path, constants.X_OK)
    return null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'EACCES' ? 'that is not executable' : 'nothing is there'
  }
}
