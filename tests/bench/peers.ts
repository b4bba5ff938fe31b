import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Measured } from './loops'

/** What Tycho is compared with lives here, with dependencies of its own: none of them is one of the product. */
const FOLDER = join(import.meta.dirname, 'peers')

/** Installs the peers where they are not yet, exactly as their lock says. */
export function installPeers() {
  const wanted: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(FOLDER, 'package.json'), 'utf8'),
  )
  const isInstalled = (name: string) => existsSync(join(FOLDER, 'node_modules', name))
  if (Object.keys(wanted.dependencies).every(isInstalled)) return
  const { exitCode } = Bun.spawnSync(['npm', 'ci', '--prefix', FOLDER, '--loglevel=error'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (exitCode !== 0) throw new Error(`npm ci --prefix ${FOLDER} failed. The comparison needs the registry.`)
}

/** LangGraph.js on the same Bun as Tycho, on which it is faster than on Node. */
export const langGraph = (atOnce: number, forMs: number) =>
  measuredBy(join(FOLDER, 'langgraph.mjs'), atOnce, forMs)

/** Our interpreter alone. */
export const engineAlone = (atOnce: number, forMs: number) =>
  measuredBy(join(import.meta.dirname, 'engine.ts'), atOnce, forMs)

/** DBOS on the same Bun as Tycho and a database of its own. */
export const dbos = (databaseUrl: string, steps: number, runs: number, atOnce: number) =>
  measuredBy(join(FOLDER, 'dbos.mjs'), databaseUrl, steps, runs, atOnce)

function measuredBy(program: string, ...args: (string | number)[]): Measured {
  const { exitCode, stdout } = Bun.spawnSync([process.execPath, program, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (exitCode !== 0) throw new Error(`${program} ended with ${exitCode}`)
  return JSON.parse(stdout.toString().trim().split('\n').at(-1)!)
}
