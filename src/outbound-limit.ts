import { type Env, processEnvironment } from '#kernel/env'

/** The runtime's own variable; it is read before any of our code runs. */
const LIMIT = 'BUN_CONFIG_MAX_HTTP_REQUESTS'
/** Streams that a team has open at once, with room to spare. */
const STREAMS = '16384'

/**
 * The runtime sends at most 256 requests at once unless told otherwise at its start, and the next one waits for a stream
 * to end. A team's gateway must hold more, so the process starts anew in its own place, with the same id and ports still
 * to be taken. Windows cannot do that: there the limit holds, and the variable may be set by hand.
 */
export function raiseOutboundLimit(env: Env) {
  const environment = processEnvironment()
  if (env.SERVICE_GATEWAY_AUTH_MODE !== 'team' || environment[LIMIT] || process.platform === 'win32') return
  const { execPath, execArgv, argv } = process
  // An executable carries its program; otherwise the second argument names it.
  const program = Bun.main.startsWith('/$bunfs/') ? argv.slice(2) : [...execArgv, ...argv.slice(1)]
  const given = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  process.execve?.(execPath, [execPath, ...program], { ...given, [LIMIT]: STREAMS })
}
