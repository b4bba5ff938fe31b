import { capturedOutput, type Output } from './output'
import { groupRuns, signalGroup } from './process-group'

/** From asking (SIGTERM) to killing (SIGKILL). */
export const GRACE_MS = 5_000
/** A killed process is gone within milliseconds; one that hangs in the kernel is not waited for longer. */
const KILLED_MS = 2_000
/** A pipe ends with its last holder; one that somebody keeps must not keep us. */
const LAST_OUTPUT_MS = 500
const POLL_MS = 20

export interface ChildOptions {
  command: string[]
  /** All of it; nothing is inherited. */
  env: Record<string, string>
  /** A folder of our own: from source, Bun reads a `.env` of the folder it starts in. */
  cwd: string
  /** Our own program as the guard, up to the engine's command (`tycho engine-guard --`). */
  guard: readonly string[]
}

export interface Child {
  readonly pid: number
  readonly output: Output
  /** Resolves once no process of its group runs any more, with the exit code of the engine. */
  readonly gone: Promise<number>
  /** Asks the group to end, kills it after `graceMs`, resolves when it is gone. */
  end(graceMs?: number): Promise<void>
}

/** Starts a program under the guard, in a process group of its own. @throws where the guard cannot be started */
export function spawnGuarded({ command, env, cwd, guard }: ChildOptions): Child {
  const leader = Bun.spawn([...guard, ...command], {
    cwd,
    env,
    // A group of its own: a Ctrl+C in the terminal is for Tycho, which stops its engines in order.
    detached: true,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const output = capturedOutput()
  const outputEnd = Promise.allSettled([output.read(leader.stdout), output.read(leader.stderr)])
  let killAt: number | undefined
  let isGone = false

  async function untilGone(): Promise<number> {
    const code = await leader.exited
    // The engine ended by itself: what it leaves behind serves nobody.
    if (killAt === undefined) signalGroup(leader.pid, 'SIGKILL')
    const giveUpAt = (killAt ?? Date.now()) + KILLED_MS
    while (groupRuns(leader.pid) && Date.now() < giveUpAt) {
      if (killAt !== undefined && Date.now() >= killAt) signalGroup(leader.pid, 'SIGKILL')
      await Bun.sleep(POLL_MS)
    }
    // From here on its number may be another program's, which must not get our signals.
    isGone = true
    await Promise.race([outputEnd, Bun.sleep(LAST_OUTPUT_MS)])
    return code
  }
  const gone = untilGone()

  return {
    pid: leader.pid,
    output,
    gone,
    async end(graceMs = GRACE_MS) {
      if (killAt === undefined && !isGone) {
        killAt = Date.now() + graceMs
        signalGroup(leader.pid, 'SIGTERM')
        const timer = setTimeout(() => !isGone && signalGroup(leader.pid, 'SIGKILL'), graceMs)
        void gone.finally(() => clearTimeout(timer))
      }
      await gone
      // The guard watches this pipe, so it must live as long as the engine: named here, it is not collected before.
      await Promise.allSettled([leader.stdin.end()])
    },
  }
}
