import { readFileSync, statSync } from 'node:fs'
import { freePort } from '../support/postgres'
import { bareEnvironment, emptyFolder } from '../support/process'
import { quantile, round, table } from './statistics'

const ROUNDS = 15
const IDLE_MS = 5_000

/** From the start of the process to `/readyz` 200, on an empty data folder and on one that was used before; memory at rest. */
export async function benchStartup(command: string[]) {
  const empty: number[] = []
  const existing: number[] = []
  const idle: number[] = []
  for (let i = 0; i < ROUNDS; i++) {
    const folder = emptyFolder()
    empty.push((await launch(command, folder)).readyMs)
    const again = await launch(command, folder, i < 3 ? IDLE_MS : 0)
    existing.push(again.readyMs)
    if (again.idleMiB) idle.push(again.idleMiB)
  }
  const row = (name: string, samples: number[]) => ({
    measure: name,
    p50: round(quantile(samples, 0.5), 1),
    max: round(Math.max(...samples), 1),
  })
  table(`Start of ${command.join(' ')}, ${ROUNDS} rounds`, [
    row('ready on an empty folder, ms', empty),
    row('ready on an existing folder, ms', existing),
    row('resident memory at rest, MiB', idle),
    { measure: 'size of the program, MiB', p50: round(statSync(command.at(-1)!).size / 2 ** 20, 1), max: '' },
  ])
}

async function launch(command: string[], folder: string, idleMs = 0) {
  const port = await freePort()
  const env = { ...bareEnvironment(folder), SERVICE_CONTROL_PLANE_PORT: String(port) }
  const startedAt = performance.now()
  const child = Bun.spawn([...command, '--no-open', '--log-level', 'warn'], {
    env,
    stdout: 'ignore',
    stderr: 'inherit',
  })
  while (
    !(await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await Bun.sleep(1)
  const readyMs = performance.now() - startedAt
  if (idleMs > 0) await Bun.sleep(idleMs)
  const idleMiB = idleMs > 0 ? residentMiB(child.pid) : undefined
  child.kill('SIGTERM')
  await child.exited
  return { readyMs, idleMiB }
}

const residentMiB = (pid: number): number =>
  round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024, 1)
