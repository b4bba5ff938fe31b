import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { until } from '../support/gateway'
import { killableGateway } from '../support/killable-gateway'
import { FROM_SOURCE, removeFolders } from '../support/process'
import { residentMiB } from './processes'
import { quantile, round, table } from './statistics'

/**
 * `bun tests/bench/gateway-loss.ts [minutes]`: developers at work while the gateway, the control plane and both are killed,
 * and then while the control plane is away, ten minutes when nothing else is said. It ends with 1 when a record was lost or
 * came twice, a request was not answered while the control plane was away, or the gateway kept more memory than it may.
 */
const KILLS = 15
const DEVELOPERS = 8
const BETWEEN_KILLS = 100
/** About 70 requests a second of all of them. */
const PAUSE_MS = 100
/** Until the gateway has the memory that it works with. */
const WARM_UP_MS = 60_000
const SAMPLE_MS = 1_000
const MEMORY_SPARE_MIB = 20

const [minutes = '10'] = Bun.argv.slice(2)
const command = existsSync('dist/tycho') ? [resolve('dist/tycho')] : FROM_SOURCE
const problems = [...(await killed()), ...(await away(Number(minutes) * 60_000))]
removeFolders()
for (const problem of problems) console.error(problem)
process.exit(problems.length > 0 ? 1 : 0)

/** Killed in turn: the gateway, the control plane, both. @returns what went wrong */
async function killed(): Promise<string[]> {
  await using mortal = await killableGateway(command)
  const { gateway, control, answered, kill } = mortal
  const over = new AbortController()
  const developers = Array.from({ length: DEVELOPERS }, () => mortal.develop(over.signal))
  const rounds = [() => kill(gateway), () => kill(control), () => Promise.all([kill(gateway), kill(control)])]
  for (let index = 0; index < KILLS; index++) {
    const enough = answered.size + BETWEEN_KILLS
    await until(() => answered.size >= enough, 60_000)
    await rounds[index % rounds.length]!()
  }
  over.abort()
  await Promise.all(developers)
  await mortal.delivered()
  const { recorded, lost, doubled } = await mortal.wrong()
  const counts = {
    kills: KILLS,
    answered: answered.size,
    recorded,
    lost: lost.length,
    doubled: doubled.length,
  }
  table('kill -9 under load', [counts])
  return lost.length + doubled.length > 0 ? ['kill -9: records were lost, or came twice'] : []
}

/** @returns what went wrong */
async function away(forMs: number): Promise<string[]> {
  await using mortal = await killableGateway(command)
  const { gateway, control } = mortal
  let phase = phaseOf()
  const over = new AbortController()
  const developers = Array.from({ length: DEVELOPERS }, () =>
    mortal.develop(over.signal, {
      pauseMs: PAUSE_MS,
      onAnswer: (ms) => phase.times.push(ms),
      onFailure: () => phase.failures++,
    }),
  )
  const during = async (ms: number) => {
    phase = phaseOf()
    for (const end = performance.now() + ms; performance.now() < end; await Bun.sleep(SAMPLE_MS))
      phase.memory.push(residentMiB(gateway.running.pid))
    return phase
  }
  await during(WARM_UP_MS)
  const there = await during(WARM_UP_MS)
  await control.running.end('SIGKILL')
  const gone = await during(forMs)
  const queued = (await mortal.ready())?.queue_records ?? 0
  control.running = await control.start()
  const back = await during(WARM_UP_MS)
  over.abort()
  await Promise.all(developers)
  await mortal.delivered()
  const { lost, doubled } = await mortal.wrong()

  table(
    `The control plane away for ${forMs / 60_000} minutes, ${queued} records waiting at the end`,
    Object.entries({ there, away: gone, 'back again': back }).map(([name, { times, memory, failures }]) => ({
      'control plane': name,
      answered: times.length,
      failed: failures,
      'p50 ms': round(quantile(times, 0.5)),
      'p99 ms': round(quantile(times, 0.99)),
      'memory p50 MiB': round(quantile(memory, 0.5), 1),
      'memory max MiB': round(Math.max(...memory), 1),
    })),
  )
  console.log(`lost ${lost.length}, doubled ${doubled.length}`)
  const grown = Math.max(...gone.memory) - Math.max(...there.memory)
  return [
    ...(lost.length + doubled.length > 0 ? ['away: records were lost, or came twice'] : []),
    ...(gone.failures > 0 ? [`away: ${gone.failures} requests failed`] : []),
    ...(grown > MEMORY_SPARE_MIB ? [`away: the gateway grew by ${round(grown, 1)} MiB`] : []),
  ]
}

function phaseOf() {
  return { times: [] as number[], memory: [] as number[], failures: 0 }
}
