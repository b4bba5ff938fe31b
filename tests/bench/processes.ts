import { readdirSync, readFileSync } from 'node:fs'

/** Processor time of all threads of a process so far, in microseconds; Linux. */
export function cpuUs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const used = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  )
  return used.reduce((sum, ns) => sum + ns, 0) / 1_000
}

/** Memory of a process that is in RAM; Linux. */
export const residentMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
