import { GRACE_MS, spawnGuarded } from './child'
import type { ProcessDeps } from './process'

interface Options {
  command: string[]
  env: Record<string, string>
  timeoutMs: number
  signal: AbortSignal
}

/** How a program ended, and the end of what it wrote. */
export interface OneShotEnd {
  kind: 'ended' | 'timeout' | 'aborted'
  code: number
  tail: string
}

/** Runs a program under the guard to its end, which an abort or its time hastens. Resolves when nothing of it runs. */
export async function runOneShot(
  { command, env, timeoutMs, signal }: Options,
  { guard, cwd, graceMs = GRACE_MS }: Pick<ProcessDeps, 'guard' | 'cwd' | 'graceMs'>,
): Promise<OneShotEnd> {
  signal.throwIfAborted()
  const child = spawnGuarded({ command, env, cwd, guard })
  let kind: OneShotEnd['kind'] = 'ended'
  const endAs = (why: 'timeout' | 'aborted') => {
    kind = why
    void child.end(graceMs)
  }
  const onAbort = () => endAs('aborted')
  const timer = setTimeout(endAs, timeoutMs, 'timeout')
  signal.addEventListener('abort', onAbort, { once: true })
  const code = await child.gone
  clearTimeout(timer)
  signal.removeEventListener('abort', onAbort)
  return { kind, code, tail: child.output.tail() }
}
