import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Plane } from '../../src/boot'

export interface TychoProcess extends AsyncDisposable {
  pid: number
  urls: Partial<Record<Plane, string>>
  /** What it wrote so far. */
  output(): string
  /** Sends a signal and resolves with the exit code once it is gone. */
  end(signal?: NodeJS.Signals): Promise<number>
}

interface Options {
  /** How it is started; the source by default, or the executable. */
  command?: string[]
  args?: string[]
  env?: Record<string, string>
  cwd?: string
}

const READY_MS = 15_000
export const FROM_SOURCE = [process.execPath, join(import.meta.dirname, '../../src/main.ts')]

const folders: string[] = []

/** A folder of its own for one install, removed when all tests are done. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tycho-process-'))
  folders.push(folder)
  return folder
}

export function removeFolders() {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}

/** An environment with nothing of the machine's but what programs need, and ports that the system chooses. */
export const bareEnvironment = (dataDir: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  // Not the data folder: Bun itself may write below it.
  HOME: emptyFolder(),
  SERVICE_DATA_DIR: dataDir,
  SERVICE_CONTROL_PLANE_PORT: '0',
  SERVICE_INFERENCE_PLANE_PORT: '0',
  SERVICE_GATEWAY_PORT: '0',
  SERVICE_INTERFACE_PORT: '0',
})

/** Starts `tycho serve` (or what `args` says) as a process of its own and waits until it printed its addresses. */
export async function startTycho({
  command = FROM_SOURCE,
  args = ['serve'],
  env = {},
  cwd,
}: Options): Promise<TychoProcess> {
  const child = Bun.spawn([...command, ...args], {
    env,
    cwd,
    stdout: 'pipe',
    stderr: 'pipe',
    stdin: 'ignore',
  })
  let text = ''
  const started = Promise.withResolvers<void>()
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true })
      if (/^(ready$|Tycho is at )/m.test(text)) started.resolve()
    }
  }
  void collect(child.stdout)
  void collect(child.stderr)
  void child.exited.then((code) => started.reject(new Error(`it ended with ${code}:\n${text}`)))
  const timer = setTimeout(() => started.reject(new Error(`it was not ready in time:\n${text}`)), READY_MS)
  await started.promise.finally(() => clearTimeout(timer))

  const urls = Object.fromEntries(
    [...text.matchAll(/^(control|inference|gateway|interface) (http\S+)$/gm)].map(([, plane, url]) => [
      plane,
      url,
    ]),
  )
  const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    return child.exited
  }
  return {
    pid: child.pid,
    urls,
    output: () => text,
    end,
    [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
  }
}

/** Runs a command line to its end. */
export async function runTycho(args: string[], env: Record<string, string>, command = FROM_SOURCE) {
  const child = Bun.spawn([...command, ...args], { env, stdout: 'pipe', stderr: 'pipe', stdin: 'ignore' })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, code }
}
