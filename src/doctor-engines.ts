import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Engine, engineKey, type Machine } from '#engines/engine'
import { hostCommand } from '#engines/host/command'
import { engineTable } from '#engines/table'
import { type Env, processEnvironment } from '#kernel/env'
import { machineOf } from './inference/local-engines'
import type { placesOf } from './places'

/** Which engines this machine has, and how to get the others. A model of a provider needs none of them. */
export async function engineFindings(env: Env, places: ReturnType<typeof placesOf>) {
  const machine = machineOf(
    {
      overrides: env,
      environment: processEnvironment(),
      stateDir: places.inferenceStateDir,
      enginesDir: join(places.dataDir, 'engines'),
      hfHome: '',
      hubToken: () => undefined,
      engineHost: hostCommand(),
    },
    tmpdir(),
  )
  const wanted = engineTable(machine).all.filter((engine) => isForThis(engine, machine))
  return await Promise.all(wanted.map(findingOf))
}

/** MLX is for Apple's processors, and nobody else misses it. */
const isForThis = ({ engine }: Engine, { platform, arch }: Machine): boolean =>
  engine !== 'mlx' || (platform === 'darwin' && arch === 'arm64')

async function findingOf(engine: Engine) {
  const what = engineKey(engine)
  const finding = await engine.find()
  if (!finding.ready) return { what, state: 'note' as const, text: finding.reason, hint: finding.hint }
  const version = (finding.builtIn && (await engine.build?.())) || finding.version
  const name = finding.builtIn ? 'built in' : finding.path
  return { what, state: 'ok' as const, text: version ? `${name}, ${version}` : name }
}
