import { readdirSync, readFileSync } from 'node:fs'

const onWindows = process.platform === 'win32'

/**
 * Sends a signal to every process of the group that `leader` leads. False when there is none left.
 * Windows knows no groups and no signals: there the whole tree ends at once.
 */
export function signalGroup(leader: number, signal: NodeJS.Signals): boolean {
  if (onWindows) return Bun.spawnSync(['taskkill', '/pid', `${leader}`, '/t', '/f']).success
  try {
    process.kill(-leader, signal)
    return true
  } catch {
    return false
  }
}

/** True while a process of the group runs. One that ended and was not collected yet by its parent does not. */
export function groupRuns(leader: number): boolean {
  try {
    process.kill(onWindows ? leader : -leader, 0)
  } catch {
    return false
  }
  return process.platform === 'linux' ? linuxGroupRuns(leader) : true
}

/**
 * In a container whose first process collects nobody, an engine's own children stay as zombies for ever once they have
 * lost their parent. A signal still reaches those, so only `/proc` tells.
 */
function linuxGroupRuns(leader: number): boolean {
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      // The program's name stands in parentheses and may hold any character, so the fields are those after the last one.
      const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return Number(group) === leader && state !== 'Z' && state !== 'X'
    } catch {
      // It ended while the folder was read.
      return false
    }
  })
}
