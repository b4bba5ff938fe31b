import { EngineProcess } from '#engines/process'
import { testProcesses } from './machine'

/**
 * Stands in for Tycho: starts the programs that it is given as engines, says that they are ready, and stays until it
 * is killed. `bun parent-program.ts folder weights program…`
 */
export const PARENT = [process.execPath, import.meta.path]

if (import.meta.main) {
  const [folder = '', weights = '', ...programs] = Bun.argv.slice(2)
  const processes = testProcesses(folder)
  const engines = programs.map((program) => {
    const command = (port: number) => [program, '--host', '127.0.0.1', '--port', `${port}`, '-m', weights]
    const plan = { kind: 'server' as const, command, env: { PATH: '/usr/bin:/bin' } }
    return new EngineProcess('fake', { ...plan, healthPath: '/health', timeoutMs: 60_000 }, processes)
  })
  const starts = engines.map((engine) => engine.start())
  await Bun.sleep(0)
  process.stdout.write('started\n')
  await Promise.all(starts)
  process.stdout.write(`ready ${engines.map(({ pid }) => pid).join(' ')}\n`)
  setInterval(() => {}, 60_000)
}
