import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { closest } from 'fastest-levenshtein'
import { type Env, EnvironmentError, readEnv, VARIABLES } from '#kernel/env'
import { StartError } from '#kernel/errors'
import { createLogger, type LogLevel } from '#kernel/log'
import { backup } from './backup'
import { boot, PLANES, type Plane, type Running } from './boot'
import { doctor } from './doctor'
import { migrateOnly } from './migrate'
import { openBrowser } from './open-browser'
import { VERSION } from './version'
import { startWorker } from './worker'

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent']

/** Runs one command line. Whatever a person can do wrong ends as one line on standard error and exit code 1. */
export async function runCli(args: string[], interfaceFiles: Record<string, string>): Promise<void> {
  // Whatever we write is the user's alone: the database, its copies, keys, artifacts.
  process.umask(0o077)
  try {
    await program(interfaceFiles).parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) process.exit(error.exitCode)
    if (error instanceof StartError) fail(error.message)
    if (error instanceof EnvironmentError) fail(error.problems.join('\n'))
    // Not foreseen: still one line for a person, and the rest for whoever asked for details.
    if (args.some((arg) => /^(--log-level=)?(debug|trace)$/.test(arg))) console.error(error)
    fail(`Tycho cannot go on: ${(error as Error).message}. \`--log-level debug\` tells more.`)
  }
}

function program(interfaceFiles: Record<string, string>): Command {
  const tycho = new Command('tycho')
    .description('Build and run AI agents on your own machine.')
    .version(VERSION, '-V, --version')
    .enablePositionalOptions()
    .helpCommand('help [command]', 'say how a command is used')
    .exitOverride()
    .addHelpText('after', `\nEnvironment:\n${environmentHelp()}`)

  withLogLevel(tycho)
    .option('--no-open', 'do not open the browser')
    .allowExcessArguments(true)
    .action(async ({ open, logLevel }: { open: boolean; logLevel?: LogLevel }, { args }: Command) => {
      // A misspelt command arrives here as an argument of the desktop launch.
      if (args[0] !== undefined) throw unknownCommand(args[0], tycho)
      const stopped = stopSignal()
      const env = readEnv()
      const running = await boot({
        env,
        planes: PLANES,
        log: logger(env, logLevel),
        desktop: true,
        interfaceFiles,
      })
      printAddresses(running)
      console.log(`Tycho is at ${running.urls.interface}`)
      if (open) openBrowser(running.urls.interface!)
      await stopped
      await end(running)
    })

  withLogLevel(tycho.command('serve').description('Serve planes, configured by the environment alone.'))
    .option('--planes <list>', `planes to serve, comma-separated: ${PLANES.join(', ')}`, planeList, [
      ...PLANES,
    ])
    .action(async ({ planes, logLevel }: { planes: Plane[]; logLevel?: LogLevel }) => {
      const stopped = stopSignal()
      const env = readEnv()
      const running = await boot({ env, planes, log: logger(env, logLevel), desktop: false, interfaceFiles })
      printAddresses(running)
      console.log('ready')
      await stopped
      await end(running)
    })

  withLogLevel(
    tycho.command('worker').description('Take durable runs from the queue of a hosted install.'),
  ).action(async ({ logLevel }: { logLevel?: LogLevel }) => {
    const stopped = stopSignal()
    const env = readEnv()
    const worker = await startWorker({ env, log: logger(env, logLevel) })
    console.log('ready')
    await stopped
    await end(worker)
  })

  tycho
    .command('migrate')
    .description('Bring the database up to date and end.')
    .action(() => migrateOnly(readEnv()))

  tycho
    .command('doctor')
    .description('Say what is configured, what is missing and how to get it.')
    .action(async () => {
      if (!(await doctor(readEnv()))) process.exitCode = 1
    })

  tycho
    .command('backup')
    .argument('<file>', 'the copy to make')
    .description('Copy the SQLite database, also while Tycho runs.')
    .action((file: string) => backup(readEnv(), file))

  return tycho
}

function unknownCommand(name: string, tycho: Command): StartError {
  const names = tycho.commands.map((command) => command.name())
  return new StartError(`There is no command ${name}. Did you mean ${closest(name, names)}?`)
}

const withLogLevel = (command: Command): Command =>
  command.addOption(new Option('--log-level <level>', 'how much is logged').choices(LEVELS))

function planeList(text: string): Plane[] {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !PLANES.includes(name as Plane))
  if (unknown !== undefined)
    throw new InvalidArgumentError(`There is no plane ${unknown}; the planes are ${PLANES.join(', ')}.`)
  return names as Plane[]
}

function logger(env: Env, level: LogLevel | undefined) {
  const readable = process.stderr.isTTY === true
  return createLogger({ level: level ?? env.SERVICE_LOG_LEVEL, readable, colour: readable && !env.NO_COLOR })
}

function printAddresses({ urls }: Running) {
  for (const [plane, url] of Object.entries(urls)) console.log(`${plane} ${url}`)
}

/** Resolves at the first SIGTERM or SIGINT, also when that comes while everything still starts. */
const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })

/** Closes everything and ends the process; Ctrl-C once more ends it at once. */
async function end(running: AsyncDisposable): Promise<never> {
  process.once('SIGINT', () => process.exit(130))
  await running[Symbol.asyncDispose]()
  process.exit(0)
}

const environmentHelp = () =>
  Object.entries(VARIABLES)
    .map(([name, { fallback, help }]) => `  ${name}\n      ${help} Default: ${fallback}.`)
    .join('\n')

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
