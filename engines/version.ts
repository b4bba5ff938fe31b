import { statSync } from 'node:fs'
import type { Machine } from './engine'
import { engineEnvironment } from './environment'

/** A program that only prints its version, or tries one import, is done long before. */
const TIMEOUT_MS = 10_000
const MAX_OUTPUT_BYTES = 64 * 1024
/** Programs come and go while somebody tries them out; only a handful is in use. */
const MAX_KNOWN = 32

/** What a short run of a program printed; `null` where it failed. */
export type Ask = (program: string, args: readonly string[]) => Promise<string | null>

/**
 * Asks programs what they are. Readiness asks often, so an answer is kept until the program's file changes.
 */
export function programAsker(machine: Machine): Ask {
  const known = new Map<string, Promise<string | null>>()
  return (program, args) => {
    const key = [program, stamp(program), ...args].join('\n')
    const answer = known.get(key) ?? run([program, ...args], engineEnvironment(machine), machine.tmpDir)
    known.delete(key)
    known.set(key, answer)
    if (known.size > MAX_KNOWN) known.delete(known.keys().next().value!)
    return answer
  }
}

/** The version in what `--version` prints, as in "version: 6122 (50aa938)" of llama.cpp. */
export const versionIn = (text: string | null): string | null =>
  /version:?\s+(\S+(?: \([0-9a-f]+\))?)/i.exec(text ?? '')?.[1] ?? null

async function run(command: string[], env: Record<string, string>, cwd: string): Promise<string | null> {
  try {
    const child = Bun.spawn(command, {
      env,
      cwd,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_OUTPUT_BYTES,
    })
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    return code === 0 ? `${out}\n${err}` : null
  } catch {
    // It cannot be started at all; using it will say why.
    return null
  }
}

function stamp(path: string): string {
  const { mtimeMs, size } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0 }
  return `${mtimeMs}-${size}`
}
