import { processEnvironment } from '#kernel/env'

/** The runtime's own variable; it is read before any of our code runs. */
const LIMIT = 'BUN_CONFIG_MAX_HTTP_REQUESTS'
/** Streams that a team, or one person's many agents, have open at once, with room to spare. */
const STREAMS = '16384'
const GATEWAY = /\bgateway\b/

/**
 * The runtime sends at most 256 requests at once unless told otherwise at its start, and the next one waits for a stream
 * to end. A gateway must hold more, so a server of one starts anew in its own place, with the same id and ports still to be
 * taken. That takes 50 ms, which nobody waits for on a server; a launch for one person stays as quick as it is. Where the
 * limit holds, also on Windows, the variable may be set by hand.
 */
export function raiseOutboundLimit(args: readonly string[]) {
  const environment = processEnvironment()
  if (!servesGateway(args) || environment[LIMIT] || process.platform === 'win32') return
  const { execPath, execArgv, argv } = process
  // An executable carries its program; otherwise the second argument names it.
  const program = Bun.main.startsWith('/$bunfs/') ? argv.slice(2) : [...execArgv, ...argv.slice(1)]
  const given = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  process.execve?.(execPath, [execPath, ...program], { ...given, [LIMIT]: STREAMS })
}

/** `serve`, but for other planes alone; whatever is wrong in the line is told after the start. */
function servesGateway(args: readonly string[]): boolean {
  if (args[0] !== 'serve') return false
  if (args.some((arg) => ['-h', '--help', '-V', '--version'].includes(arg))) return false
  const at = args.findIndex((arg) => arg === '--planes' || arg.startsWith('--planes='))
  return at < 0 || GATEWAY.test(args[at] === '--planes' ? (args[at + 1] ?? '') : args[at]!)
}
