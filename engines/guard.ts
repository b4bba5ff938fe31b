import { signalGroup } from './process-group'

/** Where the files inside a compiled executable seem to be. */
const EMBEDDED = /^(\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/

/** Our own program, to be started once more: the executable, or from source Bun with `src/main.ts`. */
export const ownProgram = (): string[] => [process.execPath, ...(EMBEDDED.test(Bun.main) ? [] : [Bun.main])]

/** Our own program as the guard of a command that follows. */
export const guardCommand = (): string[] => [...ownProgram(), 'engine-guard', '--']

/** What shells answer for a command that cannot be started. */
const CANNOT_START = 127

/**
 * `tycho engine-guard -- program args…`: runs an engine and makes sure that it does not outlive Tycho.
 *
 * A process that is killed with SIGKILL cannot tidy up, but the system closes its end of every pipe. So the guard's
 * standard input is a pipe that nobody writes to; when it ends, Tycho is gone, and the guard kills its whole group:
 * the engine, what the engine started, and itself. The group is asked to end by Tycho (SIGTERM); the guard then waits
 * for the engine, which decides how long that takes.
 */
export async function runGuard(args: string[]): Promise<never> {
  const command = args[0] === '--' ? args.slice(1) : args
  if (command.length === 0) {
    process.stderr.write('engine-guard needs a command: engine-guard -- program args…\n')
    process.exit(2)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  const engine = start(command)
  void untilParentIsGone().then(() => {
    signalGroup(process.pid, 'SIGKILL')
    // Reached only where the guard leads no group: somebody started it by hand.
    engine.kill('SIGKILL')
    process.exit(1)
  })
  await engine.exited
  if (engine.signalCode) process.stderr.write(`ended by ${engine.signalCode}\n`)
  process.exit(engine.exitCode ?? 1)
}

function start(command: string[]) {
  try {
    return Bun.spawn([...deathSignal(), ...command], {
      stdin: 'ignore',
      stdout: 'inherit',
      stderr: 'inherit',
    })
  } catch (error) {
    process.stderr.write(`${command[0]} cannot be started: ${(error as Error).message}\n`)
    process.exit(CANNOT_START)
  }
}

async function untilParentIsGone() {
  const reader = Bun.stdin.stream().getReader()
  while (!(await reader.read()).done);
}

/**
 * A second string to the bow, for a guard that is itself killed together with Tycho (`killall -9 tycho`): Linux can
 * kill the engine then, by way of `setpriv`. It is tried first, since BusyBox has a `setpriv` that cannot.
 */
function deathSignal(): string[] {
  if (process.platform !== 'linux' || !Bun.which('setpriv')) return []
  const prefix = ['setpriv', '--pdeathsig', 'KILL']
  return Bun.spawnSync([...prefix, 'true']).success ? [...prefix, '--'] : []
}
